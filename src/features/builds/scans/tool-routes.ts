import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { clamp } from '../../../lib/paging.ts'
import { ENTRIES_PAGE_MAX, EntriesQuery, PlacedEntries } from './model.ts'
import { listEntriesOfKey } from './service.ts'

/** For pipelines that send only what differs from an earlier file. */
export function toolEntryRoutes(kit: HttpKit, { db }: Deps) {
  return new Elysia({ name: 'tool-entries', prefix: '/api/v1/tool/upload' })
    .use(kit)
    .get(
      '/files/:file_uid/entries',
      async ({ actor, params, query }) =>
        ok(await listEntriesOfKey(db, actor, params.file_uid, readEntriesPage(query))),
      {
        deployKey: true,
        query: EntriesQuery,
        response: Envelope(PlacedEntries),
        detail: {
          tags: ['Builds'],
          summary: 'The files inside a clean zip, with their bytes in it',
          description:
            'Entries of one zip adjoin: where one ends the next one begins. Folders are not listed.',
        },
      },
    )
}

function readEntriesPage(query: typeof EntriesQuery.static) {
  const page = clamp(query.page, 1, 1, 1_000_000)
  const page_size = clamp(query.page_size, ENTRIES_PAGE_MAX, 1, ENTRIES_PAGE_MAX)
  return { page, page_size, offset: (page - 1) * page_size }
}
