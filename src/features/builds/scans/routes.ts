import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { MOVED } from '../../../http/openapi/moved.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { readPage } from '../../../lib/paging.ts'
import { Provenance, ProvenanceQuery } from './model.ts'
import { type EntrySearch, readProvenance, readPublicProvenance } from './service.ts'

const tags = ['Downloads']

export function scanRoutes(kit: HttpKit, { db }: Deps) {
  return new Elysia({ name: 'scans', prefix: '/api/v1' })
    .use(kit)
    .get(
      '/public/games/:game_id/files/:file_uid/provenance',
      async ({ params, query }) =>
        ok(await readPublicProvenance(db, params.game_id, params.file_uid, readSearch(query))),
      {
        visitor: true,
        cache: { maxAge: 10 },
        query: ProvenanceQuery,
        response: Envelope(Provenance),
        detail: {
          tags,
          summary: 'The origin, scans and contents of a file',
          description:
            'For files on stable or registered for it, whatever their scan state. `page` applies to `entries`, `q` narrows them.',
          responses: MOVED,
        },
      },
    )
    .get(
      '/private/games/:uid/files/:file_uid/provenance',
      async ({ actor, params, query }) =>
        ok(await readProvenance(db, actor, params.uid, params.file_uid, readSearch(query))),
      {
        website: true,
        query: ProvenanceQuery,
        response: Envelope(Provenance),
        detail: { tags, summary: 'The same for any file of the listing, for its owner and admins' },
      },
    )
}

function readSearch(query: typeof ProvenanceQuery.static): EntrySearch {
  return { q: query.q?.trim() ?? '', page: readPage(query) }
}
