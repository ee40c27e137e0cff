import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import { listApprovals } from '../../../features/agents/approvals.ts'
import { EntryInput } from '../../../features/jams/entries/model.ts'
import { listJamsOfListing } from '../../../features/jams/entries/own.ts'
import { submitEntry, withdrawEntry } from '../../../features/jams/entries/service.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { arrivalOf } from '../../../http/server/arrivals.ts'
import { lines, readForm } from '../../kit/read-form.ts'
import { decideIn, decides } from '../channels/approvals.tsx'
import { changes, projectPages, type ShowTab, type TabAct, tabPath } from '../frame/project.ts'
import { JamsTab } from './jams-tab.tsx'

/** The jams of a listing: what it is in, what it could be entered into, and what it lacks for that. */
export function jamsTabRoutes(kit: HttpKit, deps: Deps) {
  const { view, submit } = projectPages(deps)

  const showTab: ShowTab = async (project, state) => {
    const { user, listing } = project
    const [jams, approvals] = await Promise.all([
      listJamsOfListing(deps, user, listing.uid),
      listApprovals(deps, user, listing.uid, 'jam_entry'),
    ])
    return <JamsTab {...{ project, state, approvals, ...jams }} />
  }

  const enter: TabAct = async (project, form, { params: { jam_uid = '' }, request }) => {
    const arrivedAt = arrivalOf(request)
    const { user, listing } = project
    const { note } = readForm(EntryInput, form, { note: lines, code: () => undefined })
    await submitEntry(deps, user, jam_uid, listing.uid, { note: note ?? '' }, arrivedAt)
    return tabPath(project, 'jams', 'entered')
  }

  const withdraw: TabAct = async (project, _, { params: { jam_uid = '' } }) => {
    await withdrawEntry(deps, project.user, jam_uid, project.listing.uid)
    return tabPath(project, 'jams', 'withdrawn')
  }

  return new Elysia({ name: 'studio-jams', prefix: '/studio/:uid/jams' })
    .use(kit)
    .get('', view(showTab), { page: true })
    .post('/:jam_uid', submit('entry', enter, showTab), changes())
    .post('/:jam_uid/withdraw', submit('withdraw', withdraw, showTab), changes())
    .post('/approvals/:approval_uid', submit('approval', decideIn(deps, 'jams'), showTab), decides())
}
