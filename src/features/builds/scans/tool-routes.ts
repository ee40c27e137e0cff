import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { failsWith } from '../../../http/openapi/failures.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { clamp } from '../../../lib/paging.ts'
import { CONTENTS_RESPONSE, respondContents } from '../contents/respond.ts'
import { ENTRIES_PAGE_MAX, EntriesQuery, PlacedEntries } from './model.ts'
import { listEntriesOfKey, readContentsOfKey } from './service.ts'

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
    .get(
      '/files/:file_uid/contents',
      async ({ actor, params }) => respondContents(await readContentsOfKey(db, actor, params.file_uid)),
      {
        deployKey: true,
        detail: {
          tags: ['Builds'],
          summary: 'The files inside a clean zip and their parts, in one compact document',
          responses: { 200: CONTENTS_RESPONSE },
          ...failsWith('still_scanning', 'service_down'),
        },
      },
    )
}

function readEntriesPage(query: typeof EntriesQuery.static) {
  const page = clamp(query.page, 1, 1, 1_000_000)
  const page_size = clamp(query.page_size, ENTRIES_PAGE_MAX, 1, ENTRIES_PAGE_MAX)
  return { page, page_size, offset: (page - 1) * page_size }
}
