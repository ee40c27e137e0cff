import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { MOVED } from '../../../http/openapi/moved.ts'
import { describeCache } from '../../../http/output/caching.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { sendPrepared } from '../../../http/prepared.ts'
import { prepareResponse } from '../../../lib/net/prepared.ts'
import { readPage } from '../../../lib/paging.ts'
import { DSSE_TYPE, STATEMENTS } from '../attestations/model.ts'
import { FilesByChecksum, Provenance, ProvenanceQuery } from './model.ts'
import {
  type EntrySearch,
  findFilesByChecksum,
  readProvenance,
  readPublicProvenance,
  readPublicStatements,
} from './service.ts'

const tags = ['Downloads']

const STATEMENT_CACHE = { maxAge: 10 }

export function scanRoutes(kit: HttpKit, deps: Deps) {
  const { db } = deps
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
      '/public/games/:game_id/files/:file_uid/attestation',
      async ({ params, request, set }) => {
        const envelopes = await readPublicStatements(deps, params.game_id, params.file_uid)
        const [first = ''] = envelopes
        // As stored, because other bytes might not be what was signed.
        const answer =
          envelopes.length === 1
            ? prepareResponse(first, DSSE_TYPE)
            : prepareResponse(`{"attestations":[${envelopes.join(',')}]}`, 'application/json')
        return sendPrepared(answer, request, set, STATEMENT_CACHE)
      },
      {
        visitor: true,
        detail: {
          tags,
          summary: 'What this store signed about a clean file',
          description: `One DSSE envelope (\`${DSSE_TYPE}\`), or two as a list where a trusted publisher built it: SLSA provenance and the scan. Visible like the provenance.`,
          responses: { ...MOVED, 200: STATEMENTS },
          ...describeCache(STATEMENT_CACHE),
        },
      },
    )
    .get(
      '/public/files/by-checksum/:sha256',
      async ({ params }) => ok(await findFilesByChecksum(db, params.sha256)),
      {
        visitor: true,
        cache: STATEMENT_CACHE,
        response: Envelope(FilesByChecksum),
        detail: { tags, summary: 'The public files with this SHA-256' },
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
