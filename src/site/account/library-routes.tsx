import type { Deps } from '../../deps.ts'
import type { WebsiteUser } from '../../domain/actor.ts'
import { playsOn } from '../../domain/listings/web-player.ts'
import { AppError } from '../../errors.ts'
import { acknowledgeAnyNotices, listAllNotices } from '../../features/bugs/tickets/service.ts'
import {
  loadOtherFilesOf,
  loadStableFactsOf,
  loadStableFilesFor,
} from '../../features/builds/channels/stable-files.ts'
import { loadBuildsOf } from '../../features/catalog/installs/service.ts'
import type { LibraryItem } from '../../features/community/library/model.ts'
import {
  acceptLicense,
  listLibrary,
  parseLibraryFilter,
  setHidden,
} from '../../features/community/library/service.ts'
import { listGamesWithSaves } from '../../features/saves/library/service.ts'
import { listOrders } from '../../features/selling/orders/service.ts'
import { createRoutes, type HttpKit } from '../../http/kit.ts'
import { parsePage } from '../../lib/paging.ts'
import { textOf } from '../kit/form-state.ts'
import { type Act, atPage, ownPages, type ShowPage } from '../kit/pages.ts'
import { LIBRARY_VIEWS, LibraryPage } from './library-page.tsx'

const { view, submit } = ownPages
/** The newest orders; the others have a page of their own. */
const NEWEST = parsePage({ page_size: '5' })
const GIFTS = parsePage({ page_size: '10' })
/** What was played last, above the others. */
const RECENT = parsePage({ page_size: '4' })
/** The smallest page, where only the total is needed. */
const ONE = parsePage({ page_size: '1' })

function isContinued({ last_played_at, unavailable, game }: LibraryItem): boolean {
  return last_played_at !== null && unavailable === null && game.vanity_name !== null
}

/** The games a person may play, and the bugs of them that were fixed. */
export function libraryPages(kit: HttpKit, deps: Deps) {
  const showLibrary: ShowPage<WebsiteUser> = async (user, context) => {
    const { visit, query, refused } = atPage(context, '/library')
    const show = query.show === 'hidden' ? 'hidden' : 'kept'
    const filter = parseLibraryFilter({ ...query, show })
    const view = LIBRARY_VIEWS.find((known) => known === query.view) ?? 'grid'
    const page = parsePage(query)
    const isFirstView = show === 'kept' && filter.text === '' && filter.sort === 'newest' && page.offset === 0
    const [found, recent, gifts, hidden, notices, orders] = await Promise.all([
      listLibrary(deps, user, page, filter),
      isFirstView ? listLibrary(deps, user, RECENT, parseLibraryFilter({ show, sort: 'recent' })) : null,
      listLibrary(deps, user, GIFTS, parseLibraryFilter({ show: 'pending' })),
      listLibrary(deps, user, ONE, parseLibraryFilter({ show: 'hidden' })),
      listAllNotices(deps, user),
      listOrders(deps, user, NEWEST),
    ])
    const played = (recent?.items ?? []).filter(isContinued)
    const shownItems = [...found.items, ...played]
    const uids = [...new Set(shownItems.map(({ game }) => game.uid))]
    const closed = found.items.filter(({ game }) => game.vanity_name === null)
    const [files, others, facts, builds, saved] = await Promise.all([
      visit.os === null ? new Map() : loadStableFilesFor(deps.db, uids, visit.os),
      loadOtherFilesOf(deps.db, uids),
      loadStableFactsOf(deps.db, uids),
      loadBuildsOf(deps, closed),
      listGamesWithSaves(deps.db, user.userUid, uids),
    ])
    const isPlayable = (uid: string) => {
      const { isPlayable: opens = false, isForPhones: mobile = false } = facts.get(uid) ?? {}
      return deps.config.playUrl !== null && opens && playsOn(visit.os, { mobile })
    }
    const playable = new Set(uids.filter(isPlayable))
    const shown = {
      found,
      recent: played,
      gifts,
      hidden: hidden.total,
      files,
      others,
      playable,
      builds,
      saved,
    }
    return <LibraryPage {...{ visit, filter, view, notices, orders, refused, ...shown }} />
  }

  const acknowledge: Act<WebsiteUser> = async (user, form) => {
    await acknowledgeAnyNotices(deps, user, form.getAll('uid'))
    return '/library'
  }

  const change: Act<WebsiteUser> = async (user, form, { params: { uid = '' } }) => {
    const act = textOf(form, 'act')
    if (act === 'accept') await acceptLicense(deps, user, uid)
    else if (act === 'restore') await setHidden(deps, user, uid, false)
    else if (act === 'hide' || act === 'decline') await setHidden(deps, user, uid, true)
    else throw new AppError('invalid_request', { message: 'Choose what to do with it.' })
    return `/library?done=${act}`
  }

  return createRoutes(kit, { name: 'library-pages', prefix: '/library' })
    .get('', view(showLibrary), { page: true })
    .post('/:uid', submit('library', change, showLibrary), { page: true, limit: 'library' })
    .post('/notices', submit('notices', acknowledge, showLibrary), { page: true, limit: 'bug_notices' })
}
