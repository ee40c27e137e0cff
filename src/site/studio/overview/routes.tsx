import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import { VISIBILITIES } from '../../../domain/listings/visibility.ts'
import { invalidFields } from '../../../errors.ts'
import type { Downloads } from '../../../features/catalog/downloads/log.ts'
import { createFollowersReader } from '../../../features/community/follows/followers.ts'
import { deleteListing, getReport, moveVisibility } from '../../../features/listings/page/service.ts'
import { listPlatformHealth } from '../../../features/telemetry/health/service.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { textOf } from '../../kit/form-state.ts'
import { changes, projectPages, type ShowTab, type TabAct, tabPath } from '../frame/project.ts'
import { OverviewPage } from './overview-page.tsx'
import { listTimeline } from './timeline.ts'

/** The tab with the listing check, the visibility and recent events. */
export function overviewRoutes(kit: HttpKit, deps: Deps, downloads: Downloads) {
  const { view, submit } = projectPages(deps)
  const readFollowers = createFollowersReader(deps.db)
  const showTab: ShowTab = async (project, state) => {
    const { user, listing } = project
    const [report, health, followers] = await Promise.all([
      getReport(deps, user, listing.uid),
      listPlatformHealth(deps.db, listing.uid),
      readFollowers({ uid: listing.uid, ownerUid: listing.owner.uid }),
    ])
    const timeline = await listTimeline(deps, downloads, project, health)
    return <OverviewPage {...{ project, state, report, timeline, health, followers }} />
  }

  const changeVisibility: TabAct = async (project, form) => {
    const to = VISIBILITIES.find((known) => known === form.get('visibility'))
    if (to === undefined)
      throw invalidFields([{ path: 'visibility', message: 'Choose who may open the page.' }])
    // Saved without comparing revisions: the form shows all options, so the last choice wins.
    const { listing } = await moveVisibility(deps, project.user, project.listing.uid, to, () => {})
    return tabPath(project, 'overview', listing.approval ?? to)
  }

  const remove: TabAct = async ({ user, listing }, form) => {
    if (textOf(form, 'confirm').trim() !== listing.vanity_name) {
      throw invalidFields([{ path: 'confirm', message: `Type ${listing.vanity_name} to confirm.` }])
    }
    await deleteListing(deps, user, listing.uid)
    return '/studio?done=deleted'
  }

  return new Elysia({ name: 'studio-overview', prefix: '/studio/:uid/overview' })
    .use(kit)
    .get('', view(showTab), { page: true })
    .post('/visibility', submit('visibility', changeVisibility, showTab), changes())
    .post('/delete', submit('delete', remove, showTab), changes())
}
