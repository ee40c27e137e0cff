import type { AnyElysia } from 'elysia'

import type { Deps } from '../../deps.ts'
import { parseItemLines } from '../../domain/builds/build-fields.ts'
import { VISIBILITIES } from '../../domain/listings/visibility.ts'
import { invalidFields } from '../../errors.ts'
import { listApprovals } from '../../features/agents/approvals.ts'
import { listMoves, promote, rollback } from '../../features/builds/channels/service.ts'
import type { Downloads } from '../../features/catalog/downloads/service.ts'
import { createFollowersReader } from '../../features/community/follows/followers.ts'
import { EntryInput } from '../../features/jams/entries/model.ts'
import { listJamsOfListing } from '../../features/jams/entries/own.ts'
import { submitEntry, withdrawEntry } from '../../features/jams/entries/service.ts'
import { ChangelogInput, ChangelogPatch } from '../../features/listings/changelog/model.ts'
import {
  addChange,
  deleteChange,
  editChange,
  listChanges,
} from '../../features/listings/changelog/service.ts'
import {
  deleteListing,
  editListing,
  getReport,
  moveVisibility,
} from '../../features/listings/page/service.ts'
import { loadSavesInsight } from '../../features/saves/insight/service.ts'
import { listPlatformHealth } from '../../features/telemetry/health/service.ts'
import { createRoutes, type HttpKit } from '../../http/kit.ts'
import { arrivalOf } from '../../http/server/request-facts.ts'
import { parsePage } from '../../lib/paging.ts'
import { type FieldReader, lines, maybeText, readForm, textOf } from '../kit/form-state.ts'
import { bugsRoutes } from './bugs/routes.tsx'
import { buildsRoutes, type LiveGames } from './builds/routes.tsx'
import { ChangelogTab } from './changelog/changelog-tab.tsx'
import { decideIn, decides } from './channels/approvals.tsx'
import { loadBoard } from './channels/board.tsx'
import { ChannelsPage } from './channels/channels-page.tsx'
import { compatRoutes } from './compatibility/routes.tsx'
import { changes, projectPages, type ShowTab, type TabAct, tabPath } from './frame/studio-frame.tsx'
import { importPageRoutes } from './import/routes.tsx'
import { insightRoutes } from './insight/routes.tsx'
import { JamsTab } from './jams/jams-tab.tsx'
import { keyTabRoutes } from './keys/routes.tsx'
import { mediaRoutes } from './media/routes.tsx'
import { OverviewPage } from './overview/overview-page.tsx'
import { listTimeline } from './overview/timeline.ts'
import { pageRoutes } from './page/routes.tsx'
import { postsTabRoutes } from './posts/routes.tsx'
import { listingSettingsRoutes } from './press/routes.tsx'
import { priceRoutes } from './pricing/routes.tsx'
import { projectRoutes } from './projects/routes.tsx'
import { SavesTab } from './saves/saves-tab.tsx'
import { signInTabRoutes } from './store-sign-in/routes.tsx'
import { accessTabRoutes } from './team/routes.tsx'

/** The developers' pages: their projects, and the tabs of each. */
export function studioPages(kit: HttpKit, deps: Deps, downloads: Downloads, games: LiveGames): AnyElysia[] {
  return [
    projectRoutes(kit, deps),
    overviewRoutes(kit, deps, downloads),
    pageRoutes(kit, deps),
    mediaRoutes(kit, deps),
    channelPageRoutes(kit, deps),
    accessTabRoutes(kit, deps),
    listingSettingsRoutes(kit, deps),
    priceRoutes(kit, deps),
    keyTabRoutes(kit, deps),
    compatRoutes(kit, deps),
    changelogTabRoutes(kit, deps),
    postsTabRoutes(kit, deps),
    jamsTabRoutes(kit, deps),
    savesTabRoutes(kit, deps),
    signInTabRoutes(kit, deps),
    insightRoutes(kit, deps, downloads),
    bugsRoutes(kit, deps),
    importPageRoutes(kit, deps),
    buildsRoutes(kit, deps, downloads, games),
    entryRoutes(kit),
  ]
}

function entryRoutes(kit: HttpKit): AnyElysia {
  return (
    createRoutes(kit)
      .get('/studio/:uid', ({ params, redirect }) => redirect(pathOf(params.uid, 'overview'), 303), {
        page: true,
      })
      // A rejected form leaves its address in the browser; opening it again leads to its tab.
      .get('/studio/:uid/:tab/*', ({ params, redirect }) => redirect(pathOf(params.uid, params.tab), 303), {
        page: true,
      })
  )
}

/** Encodes the parts, because the requested address may contain characters that no header allows. */
function pathOf(project: string, tab: string): string {
  return `/studio/${encodeURIComponent(project)}/${encodeURIComponent(tab)}`
}

/** The switch of saves, and what a developer learns of them. */
function savesTabRoutes(kit: HttpKit, deps: Deps) {
  const { view, submit } = projectPages(deps)

  const showTab: ShowTab = async (project, state) => {
    const insight = await loadSavesInsight(deps, project.listing.uid)
    return <SavesTab {...{ project, state, insight }} quota={deps.config.savesPerGame} />
  }

  const save: TabAct = async (project, form) => {
    const enabled = form.has('enabled')
    // Saved without comparing revisions: the form has only this field, so the last one wins.
    await editListing(deps, project.user, project.listing.uid, { saves: { enabled } }, () => {})
    return tabPath(project, 'saves', enabled ? 'on' : 'off')
  }

  return createRoutes(kit, { name: 'saves-tab', prefix: '/studio/:uid/saves' })
    .get('', view(showTab), { page: true })
    .post('', submit('saves', save, showTab), changes())
}

/** The jams of a listing: what it is in, what it could be entered into, and what it lacks for that. */
function jamsTabRoutes(kit: HttpKit, deps: Deps) {
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

  return createRoutes(kit, { name: 'studio-jams', prefix: '/studio/:uid/jams' })
    .get('', view(showTab), { page: true })
    .post('/:jam_uid', submit('entry', enter, showTab), changes())
    .post('/:jam_uid/withdraw', submit('withdraw', withdraw, showTab), changes())
    .post('/approvals/:approval_uid', submit('approval', decideIn(deps, 'jams'), showTab), decides())
}

const items: FieldReader = (form, name) => parseItemLines(textOf(form, name))
const ENTRY = { title: textOf, body: lines, version: maybeText, items }

/** The tab for changelog entries that developers write. */
function changelogTabRoutes(kit: HttpKit, deps: Deps) {
  const { view, submit } = projectPages(deps)
  const showTab: ShowTab = async (project, state) => {
    const changes = await listChanges(deps, project.user, project.listing.uid, parsePage(state.query))
    return <ChangelogTab {...{ project, state, changes }} />
  }

  const add: TabAct = async (project, form) => {
    await addChange(deps, project.user, project.listing.uid, readForm(ChangelogInput, form, ENTRY))
    return tabPath(project, 'changelog', 'added')
  }

  const edit: TabAct = async (project, form, { params }) => {
    const version: FieldReader = (_, name) => maybeText(form, name) ?? null
    const input = readForm(ChangelogPatch, form, { ...ENTRY, version })
    await editChange(deps, project.user, project.listing.uid, params.entry_uid ?? '', input)
    return tabPath(project, 'changelog', 'saved')
  }

  const remove: TabAct = async (project, _, { params }) => {
    await deleteChange(deps, project.user, project.listing.uid, params.entry_uid ?? '')
    return tabPath(project, 'changelog', 'deleted')
  }

  return createRoutes(kit, { name: 'studio-changelog', prefix: '/studio/:uid/changelog' })
    .get('', view(showTab), { page: true })
    .post('', submit('change', add, showTab), changes())
    .post('/:entry_uid', submit('edit', edit, showTab), changes())
    .post('/:entry_uid/delete', submit('delete', remove, showTab), changes())
}

const releases = () => ({ ...changes(), secondFactor: 'stable' }) as const

/** Which build each channel points at, and how to move it. */
function channelPageRoutes(kit: HttpKit, deps: Deps) {
  const { view, submit } = projectPages(deps)
  const showTab: ShowTab = async (project, state) => {
    const { user, listing } = project
    const [board, moves, approvals] = await Promise.all([
      loadBoard(deps, project),
      listMoves(deps, user, listing.uid, parsePage(state.query)),
      listApprovals(deps, user, listing.uid, 'promotion'),
    ])
    return <ChannelsPage {...{ project, state, board, moves, approvals }} />
  }

  const promoteBuild: TabAct = async (project, form) => {
    const build_id = textOf(form, 'build_id')
    const channel = textOf(form, 'channel').trim()
    await promote(deps, project.user, project.listing.uid, channel, { build_id })
    return tabPath(project, 'channels', 'promoted')
  }

  const rollBack: TabAct = async (project, form) => {
    await rollback(
      deps,
      project.user,
      project.listing.uid,
      textOf(form, 'channel'),
      textOf(form, 'app') || undefined,
    )
    return tabPath(project, 'channels', 'rolled-back')
  }

  return createRoutes(kit, { name: 'studio-channels', prefix: '/studio/:uid/channels' })
    .get('', view(showTab), { page: true })
    .post('/promote', submit('promote', promoteBuild, showTab), releases())
    .post('/rollback', submit('rollback', rollBack, showTab), releases())
    .post('/approvals/:approval_uid', submit('approval', decideIn(deps, 'channels'), showTab), decides())
}

/** The tab with the listing check, the visibility and recent events. */
function overviewRoutes(kit: HttpKit, deps: Deps, downloads: Downloads) {
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

  return createRoutes(kit, { name: 'studio-overview', prefix: '/studio/:uid/overview' })
    .get('', view(showTab), { page: true })
    .post('/visibility', submit('visibility', changeVisibility, showTab), changes())
    .post('/delete', submit('delete', remove, showTab), changes())
}
