import { Paged } from '../../http/input/schema.ts'
import { plural } from '../../lib/text/show.ts'
import { FiledReport } from '../bugs/reports/model.ts'
import { reportBug } from '../bugs/reports/service.ts'
import { BugReporter } from '../bugs/settings/model.ts'
import { changeReporter, getReporter } from '../bugs/settings/service.ts'
import { Ticket, TicketDetails } from '../bugs/tickets/model.ts'
import { changeTicket, listTickets } from '../bugs/tickets/service.ts'
import { CrashGroup } from '../telemetry/crashes/model.ts'
import { listCrashes } from '../telemetry/crashes/service.ts'
import { BuildHealth } from '../telemetry/health/model.ts'
import { loadBuildHealth } from '../telemetry/health/service.ts'
import {
  BugInput,
  BuildInput,
  ChangedReporter,
  CrashesInput,
  GameInput,
  ReporterInput,
  TicketInput,
  TicketsInput,
} from './model.ts'
import { defineTool, toPage, UNTRUSTED } from './tool.ts'

const healthTool = defineTool({
  name: 'get_build_health',
  title: 'Read the health of a build',
  description:
    'How well a build starts on players’ machines: its band, the counts of devices it follows from (heard, started, crashed before), how many were left out because too many came from one network, and the median session length in seconds.',
  scope: 'mcp:health.read',
  effect: 'read',
  input: BuildInput,
  output: BuildHealth,
  run: ({ deps }, agent, { game_id, build_id }) => loadBuildHealth(deps, agent, game_id, build_id),
  summarize: ({ band, devices, boot_ok, crashed, left_out }) => {
    const left = left_out === 0 ? '' : ` ${left_out} more were left out: too many from one network.`
    return `${band}: of ${plural(devices, 'device')}, ${boot_ok} started and ${crashed} crashed before that.${left}`
  },
})

const crashesTool = defineTool({
  name: 'list_crashes',
  title: 'List crashes',
  description: `The crashes of a project by kind, most recently seen first, each with its count, versions and a stack resolved with the uploaded symbols. ${UNTRUSTED}`,
  scope: 'mcp:crash.read',
  effect: 'read',
  input: CrashesInput,
  output: Paged(CrashGroup),
  run: ({ deps }, agent, { game_id, build_id, ...page }) =>
    listCrashes(deps, agent, game_id, build_id, toPage(page)),
  summarize: ({ items, total, page }) =>
    `${plural(total, 'kind')} of crashes; page ${page} has ${plural(sum(items), 'crash', 'crashes')}.`,
})

function sum(items: readonly { count: number }[]): number {
  return items.reduce((total, { count }) => total + count, 0)
}

export const TELEMETRY_TOOLS = [healthTool, crashesTool]

const reporterTool = defineTool({
  name: 'get_bug_reporter',
  title: 'Read the bug reporter',
  description:
    'The settings of a project’s bug reporter: whether players can report from the game, how often, and the webhooks that are told. Of the signing key only the last 4 characters, of webhooks no path and query.',
  scope: 'mcp:bugs.read',
  effect: 'read',
  input: GameInput,
  output: BugReporter,
  run: ({ deps }, agent, { game_id }) => getReporter(deps, agent, game_id),
  summarize: summarizeReporter,
})

const ticketsTool = defineTool({
  name: 'list_bug_tickets',
  title: 'List bug tickets',
  description: `The bug tickets of a project, newest first, with message, versions and the address of the screenshot. ${UNTRUSTED}`,
  scope: 'mcp:bugs.read',
  effect: 'read',
  input: TicketsInput,
  output: Paged(Ticket),
  run: ({ deps }, agent, { game_id, status, ...page }) =>
    listTickets(deps, agent, game_id, status, toPage(page)),
  summarize: ({ items, total, page }) =>
    `${plural(total, 'ticket')}; page ${page} has ${items.filter(({ status }) => status === 'open').length} open ones.`,
})

const changeReporterTool = defineTool({
  name: 'set_bug_reporter',
  title: 'Change the bug reporter',
  description:
    'Turns a project’s in-game bug reports on or off, and sets the reports per player and day and up to five webhooks. What is not sent stays as it is; webhook_urls replaces the whole list, in which saved addresses may stand as get_bug_reporter shows them. New addresses wait for the owner: the result has {"approval": "pending"} until the owner confirms the mailed link. Tell the person to look for that mail; do not call again.',
  scope: 'mcp:bugs.write',
  effect: 'change',
  input: ReporterInput,
  output: ChangedReporter,
  run: ({ deps }, agent, { game_id, ...settings }) => changeReporter(deps, agent, game_id, settings),
  summarize: ({ approval, ...reporter }) =>
    approval === undefined
      ? summarizeReporter(reporter)
      : `${summarizeReporter(reporter)} Waiting for approval: the owner of the project was sent a mail with a link to confirm the new webhooks.`,
})

const changeTicketTool = defineTool({
  name: 'update_bug_ticket',
  title: 'Update a bug ticket',
  description: `Sets the status of a ticket and the version that fixes it, or adds a note. The reporter is told of a fix, and never sees notes. Returns the whole ticket with its log and history. ${UNTRUSTED}`,
  scope: 'mcp:bugs.write',
  effect: 'append',
  input: TicketInput,
  output: TicketDetails,
  run: ({ deps }, agent, { game_id, ticket_uid, ...patch }) =>
    changeTicket(deps, agent, game_id, ticket_uid, patch),
  summarize: ({ status }) => `The ticket is ${status}.`,
})

const reportTool = defineTool({
  name: 'report_bug',
  title: 'Report a bug',
  description:
    'Files a bug ticket in the person’s name, in a game that they have a licence for. It counts towards their reports of the day. Write what happened, what was expected and how to repeat it.',
  scope: 'mcp:bugs.write',
  effect: 'report',
  input: BugInput,
  output: FiledReport,
  run: ({ deps }, agent, { game_id, ...report }) => reportBug(deps, agent, game_id, report),
  summarize: ({ ticket_uid }) => `The bug was reported as ticket ${ticket_uid}.`,
})

function summarizeReporter({ enabled, daily_cap, webhook_urls }: BugReporter): string {
  return `The bug reporter is ${enabled ? 'on' : 'off'}, with ${plural(daily_cap, 'report')} per player and day and ${plural(webhook_urls.length, 'webhook')}.`
}

export const BUG_TOOLS = [reporterTool, ticketsTool, changeReporterTool, changeTicketTool, reportTool]
