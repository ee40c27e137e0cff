import { Elysia } from 'elysia'

import type { Deps } from '../../deps.ts'
import type { WebsiteUser } from '../../domain/actor.ts'
import { acknowledgeAnyNotices, listAllNotices } from '../../features/bugs/notices/service.ts'
import {
  readOtherFilesOf,
  readStableFactsOf,
  readStableFilesFor,
} from '../../features/builds/channels/stable-files.ts'
import { readLibrary, readLibraryFilter } from '../../features/community/library/service.ts'
import { listOrders } from '../../features/selling/orders/service.ts'
import type { HttpKit } from '../../http/kit.ts'
import { readPage } from '../../lib/paging.ts'
import { type Act, atPage, ownPages, type ShowPage } from '../kit/pages.ts'
import { LibraryPage } from './library-page.tsx'

const { view, submit } = ownPages
/** The other orders have a page of their own. */
const NEWEST = readPage({ page_size: '5' })

/** The games a person may play, and the bugs of them that were fixed. */
export function libraryPages(kit: HttpKit, deps: Deps) {
  const showLibrary: ShowPage<WebsiteUser> = async (user, context) => {
    const { visit, query, refused } = atPage(context, '/library')
    const filter = readLibraryFilter(query)
    const [found, notices, orders] = await Promise.all([
      readLibrary(deps, user, readPage(query), filter),
      listAllNotices(deps, user),
      listOrders(deps, user, NEWEST),
    ])
    const uids = found.items.map(({ game }) => game.uid)
    const [files, others, facts] = await Promise.all([
      visit.os === null ? new Map() : readStableFilesFor(deps.db, uids, visit.os),
      readOtherFilesOf(deps.db, uids),
      readStableFactsOf(deps.db, uids),
    ])
    const isPlayable = (uid: string) => deps.config.playUrl !== null && (facts.get(uid)?.isPlayable ?? false)
    const playable = new Set(uids.filter(isPlayable))
    return <LibraryPage {...{ visit, filter, found, files, others, playable, notices, orders, refused }} />
  }

  const acknowledge: Act<WebsiteUser> = async (user, form) => {
    await acknowledgeAnyNotices(deps, user, form.getAll('uid'))
    return '/library'
  }

  return new Elysia({ name: 'library-pages', prefix: '/library' })
    .use(kit)
    .get('', view(showLibrary), { page: true })
    .post('/notices', submit('notices', acknowledge, showLibrary), { page: true, limit: 'bug_notices' })
}
