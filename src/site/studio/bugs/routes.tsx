import type { Deps } from '../../../deps.ts'
import { TICKET_STATUSES } from '../../../domain/bugs.ts'
import { listApprovals } from '../../../features/agents/approvals.ts'
import { BugReporterInput } from '../../../features/bugs/settings/model.ts'
import { changeReporter, getReporter, renewSigningKey } from '../../../features/bugs/settings/service.ts'
import { TicketPatch } from '../../../features/bugs/tickets/model.ts'
import { changeTicket, listTickets, loadTicket } from '../../../features/bugs/tickets/service.ts'
import { listDeliveries, redeliver, testWebhooks } from '../../../features/bugs/webhooks/service.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import { parsePage } from '../../../lib/paging.ts'
import { checked, readForm, textOf, trimmed } from '../../kit/form-state.ts'
import { decideIn, decides } from '../channels/approvals.tsx'
import { changes, projectPages, type ShowTab, type TabAct, tabPath } from '../frame/studio-frame.tsx'
import { BugReporterPage } from './bug-reporter-page.tsx'
import { TicketPage } from './bug-ticket-page.tsx'
import { BugsPage } from './bugs-page.tsx'

const SETTINGS = 'bugs/settings'

/** The tab with bug reports of players, the settings of the reporter, and its webhooks. */
export function bugsRoutes(kit: HttpKit, deps: Deps) {
  const { view, submit } = projectPages(deps)
  const showList: ShowTab = async (project, state) => {
    const { user, listing } = project
    const status = TICKET_STATUSES.find((known) => known === state.query.status)
    const [tickets, reporter] = await Promise.all([
      listTickets(deps, user, listing.uid, status, parsePage(state.query)),
      getReporter(deps, user, listing.uid),
    ])
    return <BugsPage {...{ project, state, tickets, status }} isOn={reporter.enabled} />
  }

  const showTicket: ShowTab = async (project, state) => {
    const ticket = await loadTicket(deps, project.user, project.listing.uid, state.params.ticket_uid ?? '')
    return <TicketPage {...{ project, state, ticket }} />
  }

  const showSettings: ShowTab = async (project, state) => {
    const { user, listing } = project
    const [reporter, deliveries, approvals] = await Promise.all([
      getReporter(deps, user, listing.uid),
      listDeliveries(deps, user, listing.uid, parsePage(state.query)),
      listApprovals(deps, user, listing.uid, 'webhooks'),
    ])
    return <BugReporterPage {...{ project, state, reporter, deliveries, approvals }} />
  }

  const update: TabAct = async (project, form, { params }) => {
    const patch = readForm(TicketPatch, form, {
      status: textOf,
      fixed_in_version: (sent, name) => textOf(sent, name).trim() || null,
      note: trimmed,
    })
    const uid = params.ticket_uid ?? ''
    await changeTicket(deps, project.user, project.listing.uid, uid, patch)
    return tabPath(project, `bugs/${uid}`, 'saved')
  }

  const save: TabAct = async (project, form) => {
    const input = readForm(BugReporterInput, form, {
      enabled: checked,
      daily_cap: (sent, name) => Number(textOf(sent, name).trim() || Number.NaN),
      webhook_urls: (sent, name) => textOf(sent, name).split(/\s+/).filter(Boolean),
    })
    await changeReporter(deps, project.user, project.listing.uid, input)
    return tabPath(project, SETTINGS, 'saved')
  }

  const renew: TabAct = async (project) => {
    await renewSigningKey(deps, project.user, project.listing.uid)
    return tabPath(project, SETTINGS, 'renewed')
  }

  const test: TabAct = async (project) => {
    await testWebhooks(deps, project.user, project.listing.uid)
    return tabPath(project, SETTINGS, 'tested')
  }

  const resend: TabAct = async (project, _, { params }) => {
    await redeliver(deps, project.user, project.listing.uid, params.delivery_uid ?? '')
    return tabPath(project, SETTINGS, 'resent')
  }

  return createRoutes(kit, { name: 'studio-bugs', prefix: '/studio/:uid/bugs' })
    .get('', view(showList), { page: true })
    .get('/settings', view(showSettings), { page: true })
    .post('/settings', submit('reporter', save, showSettings), changes())
    .post('/settings/key', submit('key', renew, showSettings), changes())
    .post('/settings/test', submit('test', test, showSettings), changes())
    .post(
      '/settings/approvals/:approval_uid',
      submit('approval', decideIn(deps, SETTINGS), showSettings),
      decides(),
    )
    .post('/settings/deliveries/:delivery_uid', submit('resend', resend, showSettings), changes())
    .get('/:ticket_uid', view(showTicket), { page: true })
    .post('/:ticket_uid', submit('ticket', update, showTicket), changes())
}
