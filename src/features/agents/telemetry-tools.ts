import { Paged } from '../../http/input/paging.ts'
import { plural } from '../../lib/text/plural.ts'
import { CrashGroup } from '../telemetry/crashes/model.ts'
import { listCrashes } from '../telemetry/crashes/service.ts'
import { BuildHealth } from '../telemetry/health/model.ts'
import { readBuildHealth } from '../telemetry/health/service.ts'
import { BuildInput, CrashesInput } from './model.ts'
import { defineTool, pageOf, UNTRUSTED } from './tool.ts'

const healthTool = defineTool({
  name: 'get_build_health',
  title: 'Read the health of a build',
  description:
    'How well a build starts on players’ machines: its band, the counts of devices it follows from (heard, started, crashed before), how many were left out because too many came from one network, and the median session length in seconds.',
  scope: 'mcp:health.read',
  effect: 'read',
  input: BuildInput,
  output: BuildHealth,
  run: ({ deps }, agent, { game_id, build_id }) => readBuildHealth(deps, agent, game_id, build_id),
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
    listCrashes(deps, agent, game_id, build_id, pageOf(page)),
  summarize: ({ items, total, page }) =>
    `${plural(total, 'kind')} of crashes; page ${page} has ${plural(sum(items), 'crash', 'crashes')}.`,
})

function sum(items: readonly { count: number }[]): number {
  return items.reduce((total, { count }) => total + count, 0)
}

export const TELEMETRY_TOOLS = [healthTool, crashesTool]
