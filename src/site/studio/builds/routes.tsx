import type { Deps } from '../../../deps.ts'
import { invalidFields } from '../../../errors.ts'
import { listChannels } from '../../../features/builds/channels/service.ts'
import { listWebFiles } from '../../../features/builds/channels/stable-files.ts'
import { findDifference } from '../../../features/builds/comparison/service.ts'
import { deleteBuild, getBuild, listBuilds } from '../../../features/builds/registry/service.ts'
import { listScanHistory } from '../../../features/builds/scans/service.ts'
import { listSymbols, removeSymbols } from '../../../features/builds/symbols/service.ts'
import { listSessions } from '../../../features/builds/uploads/sessions.ts'
import { mayUpload } from '../../../features/builds/uploads/state.ts'
import { loadVersionCounts } from '../../../features/catalog/downloads/analytics.ts'
import { DAYS_DEFAULT } from '../../../features/catalog/downloads/model.ts'
import type { Downloads } from '../../../features/catalog/downloads/service.ts'
import type { GameWatch } from '../../../features/games/watch.ts'
import { editListing } from '../../../features/listings/page/service.ts'
import { loadStorageOfGame } from '../../../features/storage/quota.ts'
import { loadHealthOf } from '../../../features/telemetry/health/service.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import { parsePage } from '../../../lib/paging.ts'
import { type LiveStreams, sendEvents } from '../../kit/live/live-streams.ts'
import { requireUser } from '../../kit/pages.ts'
import {
  changes,
  openProject,
  projectPages,
  type ShowTab,
  type TabAct,
  tabPath,
} from '../frame/studio-frame.tsx'
import { BuildPage } from './build-page.tsx'
import { BuildsPage } from './builds-page.tsx'
import { parseWebPlayer, WEB_PLAYER_FORM } from './web-player-form.tsx'

/** What tells the open pages of builds that a listing changed. */
export interface LiveGames extends GameWatch {
  live: LiveStreams
}

const MANY = parsePage({ page_size: '50' })

/** Builds with their files and scans, and uploads from the browser. */
export function buildsRoutes(kit: HttpKit, deps: Deps, downloads: Downloads, { watch, live }: LiveGames) {
  const { view, submit } = projectPages(deps)
  const showTab: ShowTab = async (project, state) => {
    const { user, listing } = project
    const [builds, sessions, channels, counts, canUpload, storage, webFiles] = await Promise.all([
      listBuilds(deps, user, listing.uid, parsePage(state.query)),
      listSessions(deps, listing.uid),
      listChannels(deps, user, listing.uid, MANY),
      loadVersionCounts(downloads, user, listing.uid, DAYS_DEFAULT, MANY),
      mayUpload(deps.db, listing.uid),
      loadStorageOfGame(deps, listing.uid),
      listWebFiles(deps.db, listing.uid),
    ])
    const health = await loadHealthOf(
      deps.db,
      builds.items.map(({ build_id }) => build_id),
    )
    return (
      <BuildsPage
        {...{ project, state, builds, sessions, canUpload, health, storage, webFiles }}
        canPlay={deps.config.playUrl !== null}
        channels={channels.items}
        counts={counts.items}
      />
    )
  }

  const saveWebPlayer: TabAct = async (project, form) => {
    const web_player = parseWebPlayer(form)
    // The form has all settings of the player, so it is saved without comparing revisions: the last one wins.
    await editListing(deps, project.user, project.listing.uid, { web_player }, () => {})
    return tabPath(project, 'builds', 'web-player')
  }

  const showBuild: ShowTab = async (project, state) => {
    const { user, listing } = project
    const { build_id: buildId = '' } = state.params
    const page = parsePage(state.query)
    const [build, history, symbols, difference] = await Promise.all([
      getBuild(deps, user, listing.uid, buildId),
      listScanHistory(deps.db, user, listing.uid, buildId),
      listSymbols(deps, user, listing.uid, buildId, MANY),
      findDifference(deps, user, listing.uid, buildId, page),
    ])
    return <BuildPage {...{ project, state, build, history, difference, page }} symbols={symbols.items} />
  }

  const remove: TabAct = async (project, form, { params }) => {
    const { user, listing } = project
    if (form.get('confirm') !== 'yes')
      throw invalidFields([{ path: 'confirm', message: 'Tick the box to confirm.' }])
    await deleteBuild(deps, user, listing.uid, params.build_id ?? '')
    return tabPath(project, 'builds', 'deleted')
  }

  const removeSymbol: TabAct = async (project, form, { params }) => {
    await removeSymbols(deps, project.user, project.listing.uid, form.get('symbol_uid') ?? '')
    return tabPath(project, `builds/${params.build_id}`, 'symbols')
  }

  return createRoutes(kit, { name: 'studio-builds', prefix: '/studio/:uid/builds' })
    .get('', view(showTab), { page: true })
    .get(
      '/events',
      async ({ visit, params, set }) => {
        const { userUid } = requireUser(visit.actor)
        const { listing } = await openProject(deps, visit, params.uid)
        return sendEvents(
          live.stream(userUid, (onChange) => watch(listing.uid, onChange)),
          set,
        )
      },
      { page: true },
    )
    .post('/web-player', submit(WEB_PLAYER_FORM, saveWebPlayer, showTab), changes())
    .get('/:build_id', view(showBuild), { page: true })
    .post('/:build_id/delete', submit('delete', remove, showBuild), changes())
    .post('/:build_id/symbols', submit('symbols', removeSymbol, showBuild), changes())
}
