import { t } from 'elysia'

import { openBody } from '../../../clients/objects/open-body.ts'
import type { Deps } from '../../../deps.ts'
import type { Saver } from '../../../domain/actor.ts'
import { AppError } from '../../../errors.ts'
import { Envelope, listOf, Nothing, ok } from '../../../http/input/schema.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import { isNotModified } from '../../../http/output/caching.ts'
import { parsePage } from '../../../lib/paging.ts'
import { openSaves } from '../access/service.ts'
import { parseMatch } from './fields.ts'
import {
  DeleteQuery,
  ListQuery,
  ReadQuery,
  RestoreInput,
  SaveList,
  SaveRevision,
  WrittenSave,
} from './model.ts'
import {
  binSave,
  listRevisions,
  listSaves,
  purgeRevision,
  purgeSlot,
  readSave,
  restoreSave,
} from './service.ts'
import { writeSave } from './write.ts'

const refusals = ['forbidden', 'buy_to_download', 'save_conflict'] as const
const content = {
  'application/octet-stream': { schema: { type: 'string', format: 'binary' }, example: 'level 3' },
} as const
const BYTES = {
  description: 'The bytes. `ETag` is the revision, for `If-Match` of the next write.',
  content,
}
const UNCHANGED = { description: 'The revision in `If-None-Match` is still the one asked for.' }
const requestBody = { required: true, content }
const read = { saver: true, limit: 'save_read' } as const
const write = { saver: true, limit: 'save_write' } as const

const inHeader = (name: string, description: string) =>
  ({ in: 'header', name, required: false, schema: { type: 'string' }, description }) as const

/** A player's saves of one game, for programs and for the game itself. */
export function saveRoutes(kit: HttpKit, deps: Deps) {
  return createRoutes(kit, { name: 'saves', prefix: '/api/v1/player/games/:game_id/saves', tags: ['Saves'] })
    .get(
      '',
      async ({ actor, params, query }) => ok(await listSaves(deps, actor, params.game_id, query.bin === '1')),
      {
        ...read,
        query: ListQuery,
        response: Envelope(SaveList),
        summary: 'The saves of a game, or those in the bin',
        fails: refusals,
      },
    )
    .get(
      '/:slot',
      async ({ actor, params, query, request }) => {
        const found = await readSave(deps, actor, params.game_id, params.slot, query.revision)
        const headers = {
          etag: `"${found.revision}"`,
          'x-checksum-sha256': found.sha256,
        }
        if (isNotModified(request, headers.etag)) return new Response(null, { status: 304, headers })
        return new Response(await openBody(deps.objects, found.objectKey), {
          headers: {
            ...headers,
            'content-type': 'application/octet-stream',
            'content-length': String(found.size),
            'content-disposition': 'attachment',
          },
        })
      },
      {
        ...read,
        query: ReadQuery,
        summary: 'The bytes of a save',
        fails: refusals,
        detail: { responses: { 200: BYTES, 304: UNCHANGED } },
      },
    )
    .put(
      '/:slot',
      async (context) => {
        const { actor, params, status, set } = context
        const written = await writeSave(deps, actor, params.game_id, params.slot, context)
        set.headers.etag = `"${written.revision}"`
        return status(201, ok(written))
      },
      {
        rawBody: true,
        ...write,
        response: { 201: Envelope(WrittenSave) },
        summary: 'Write a save, unless somebody was faster',
        description:
          'Needs `If-Match` with the revision that the write is based on, or `If-None-Match: *` for a new slot; 428 without. 412/4123 if another revision is current: `data.theirs` names it, and the bytes are kept for 30 days as the revision `data.yours_kept_as`.',
        fails: [
          'forbidden',
          'buy_to_download',
          'save_condition_missing',
          'save_conflict',
          'checksum_mismatch',
          'storage_used_up',
          'taken',
        ],
        detail: {
          requestBody,
          parameters: [
            inHeader('If-Match', 'The revision, in quotes.'),
            inHeader('If-None-Match', '`*`: the slot must not exist.'),
            inHeader('X-Checksum-Sha256', 'The SHA-256 that the bytes must have.'),
            inHeader('X-Save-Device', 'The name of the device; may be percent-encoded.'),
            inHeader('X-Save-Note', 'A note of at most 200 characters; may be percent-encoded.'),
            inHeader(
              'X-Build-Id',
              'The build that writes, so that its developer sees conflicts and failures.',
            ),
          ],
        },
      },
    )
    .delete(
      '/:slot',
      async ({ actor, params, query, request }) => {
        const saves = await openSaves(deps, actor, params.game_id)
        if (query.revision !== undefined) {
          requireOwnHand(actor)
          await purgeRevision(deps, saves, params.slot, query.revision)
        } else if (query.bin === '1') {
          requireOwnHand(actor)
          await purgeSlot(deps, saves, params.slot)
        } else await binSave(deps, saves, params.slot, parseMatch(request))
        return ok({})
      },
      {
        ...write,
        query: DeleteQuery,
        response: Nothing,
        summary: 'Put a save into the bin for 30 days',
        description: 'Only a player’s own key or token deletes for good, with `bin` or `revision`.',
        fails: ['forbidden', 'buy_to_download', 'save_conflict', 'taken', 'too_large'],
      },
    )
    .get(
      '/:slot/revisions',
      async ({ actor, params, query }) => {
        const saves = await openSaves(deps, actor, params.game_id)
        return ok(await listRevisions(deps.db, saves, params.slot, parsePage(query)))
      },
      {
        ...read,
        ...listOf(SaveRevision),
        summary: 'The history of a save, newest first',
        fails: refusals,
      },
    )
    .post(
      '/:slot/restore',
      async ({ actor, params, body }) => {
        const saves = await openSaves(deps, actor, params.game_id)
        return ok(await restoreSave(deps, saves, params.slot, body?.revision))
      },
      {
        ...write,
        body: t.Optional(RestoreInput),
        response: Envelope(WrittenSave),
        summary: 'Make an earlier revision current again, or bring a save back from the bin',
        fails: refusals,
      },
    )
}

/** A game can put saves into the bin, where its player finds them, but end none. */
function requireOwnHand({ via }: Saver): void {
  if (via === 'player') return
  throw new AppError('forbidden', { message: 'Only the player deletes saves for good, in their library.' })
}
