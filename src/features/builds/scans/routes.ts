import type { Deps } from '../../../deps.ts'
import { Envelope, ok } from '../../../http/input/schema.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import { describeCache, sendPrepared } from '../../../http/output/caching.ts'
import { prepareResponse } from '../../../lib/net/prepared-response.ts'
import { clamp, parsePage } from '../../../lib/paging.ts'
import { DSSE_TYPE, STATEMENTS } from '../attestations/model.ts'
import { CONTENTS_RESPONSE, respondContents } from '../contents/model.ts'
import {
  ENTRIES_PAGE_MAX,
  EntriesQuery,
  FilesByChecksum,
  PlacedEntries,
  Provenance,
  ProvenanceQuery,
} from './model.ts'
import {
  type EntrySearch,
  findFilesByChecksum,
  listEntriesOfKey,
  listPublicStatements,
  loadContentsOfKey,
  loadProvenance,
  loadPublicProvenance,
} from './service.ts'

const tags = ['Downloads']

const STATEMENT_CACHE = { maxAge: 10 }

export function scanRoutes(kit: HttpKit, deps: Deps) {
  const { db } = deps
  return createRoutes(kit, { name: 'scans', prefix: '/api/v1' })
    .get(
      '/public/games/:game_id/files/:file_uid/provenance',
      async ({ params, query }) =>
        ok(await loadPublicProvenance(db, params.game_id, params.file_uid, parseSearch(query))),
      {
        visitor: true,
        cache: { maxAge: 10 },
        query: ProvenanceQuery,
        response: Envelope(Provenance),
        tags,
        summary: 'The origin, scans and contents of a file',
        description:
          'For files on stable or registered for it, whatever their scan state. `page` applies to `entries`, `q` narrows them.',
        mayMove: true,
      },
    )
    .get(
      '/public/games/:game_id/files/:file_uid/attestation',
      async ({ params, request, set }) => {
        const envelopes = await listPublicStatements(deps, params.game_id, params.file_uid)
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
        tags,
        summary: 'What this store signed about a clean file',
        description: `One DSSE envelope (\`${DSSE_TYPE}\`), or two as a list where a trusted publisher built it: SLSA provenance and the scan. Visible like the provenance.`,
        mayMove: true,
        detail: { responses: { 200: STATEMENTS }, ...describeCache(STATEMENT_CACHE) },
      },
    )
    .get(
      '/public/files/by-checksum/:sha256',
      async ({ params }) => ok(await findFilesByChecksum(db, params.sha256)),
      {
        visitor: true,
        cache: STATEMENT_CACHE,
        response: Envelope(FilesByChecksum),
        tags,
        summary: 'The public files with this SHA-256',
      },
    )
    .get(
      '/private/games/:uid/files/:file_uid/provenance',
      async ({ actor, params, query }) =>
        ok(await loadProvenance(db, actor, params.uid, params.file_uid, parseSearch(query))),
      {
        website: true,
        query: ProvenanceQuery,
        response: Envelope(Provenance),
        tags,
        summary: 'The same for any file of the listing, for its owner and admins',
      },
    )
}

function parseSearch(query: typeof ProvenanceQuery.static): EntrySearch {
  return { q: query.q?.trim() ?? '', page: parsePage(query) }
}

/** For pipelines that send only what differs from an earlier file. */
export function toolEntryRoutes(kit: HttpKit, { db }: Deps) {
  return createRoutes(kit, { name: 'tool-entries', prefix: '/api/v1/tool/upload' })
    .get(
      '/files/:file_uid/entries',
      async ({ actor, params, query }) =>
        ok(await listEntriesOfKey(db, actor, params.file_uid, parseEntriesPage(query))),
      {
        deployKey: true,
        query: EntriesQuery,
        response: Envelope(PlacedEntries),
        tags: ['Builds'],
        summary: 'The files inside a clean zip, with their bytes in it',
        description: 'Entries of one zip adjoin: where one ends the next one begins. Folders are not listed.',
      },
    )
    .get(
      '/files/:file_uid/contents',
      async ({ actor, params }) => respondContents(await loadContentsOfKey(db, actor, params.file_uid)),
      {
        deployKey: true,
        tags: ['Builds'],
        summary: 'The files inside a clean zip and their parts, in one compact document',
        fails: ['still_scanning', 'service_down'],
        detail: { responses: { 200: CONTENTS_RESPONSE } },
      },
    )
}

function parseEntriesPage(query: typeof EntriesQuery.static) {
  const page = clamp(query.page, 1, 1, 1_000_000)
  const page_size = clamp(query.page_size, ENTRIES_PAGE_MAX, 1, ENTRIES_PAGE_MAX)
  return { page, page_size, offset: (page - 1) * page_size }
}
