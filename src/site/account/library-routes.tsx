import { Elysia } from 'elysia'

import type { Deps } from '../../deps.ts'
import { listAllNotices } from '../../features/bugs/notices/service.ts'
import { readOtherFilesOf, readStableFilesFor } from '../../features/builds/channels/stable.ts'
import { readLibrary, readLibraryFilter } from '../../features/community/library/service.ts'
import type { HttpKit } from '../../http/kit.ts'
import { readPage } from '../../lib/paging.ts'
import { show } from '../kit/render.ts'
import { signInPath } from '../kit/signed-in.ts'
import { LibraryPage } from './library-page.tsx'

/** The games a person may play. */
export function libraryPages(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'library-pages' }).use(kit).get(
    '/library',
    async ({ visit, query, set, redirect }) => {
      const { actor, os } = visit
      if (actor.kind !== 'user') return redirect(signInPath(visit), 303)
      const filter = readLibraryFilter(query)
      const [found, notices] = await Promise.all([
        readLibrary(deps, actor, readPage(query), filter),
        listAllNotices(deps, actor),
      ])
      const uids = found.items.map(({ game }) => game.uid)
      const [files, others] = await Promise.all([
        os === null ? new Map() : readStableFilesFor(deps.db, uids, os),
        readOtherFilesOf(deps.db, uids),
      ])
      return show(visit, set, <LibraryPage {...{ visit, filter, found, files, others, notices }} />)
    },
    { page: true },
  )
}
