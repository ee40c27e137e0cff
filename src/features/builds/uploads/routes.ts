import { status } from 'elysia'

import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import type { ErrorName } from '../../../error-table.ts'
import { readFormOrJson } from '../../../http/input/body.ts'
import { done, Envelope, listOf, Nothing, ok } from '../../../http/input/schema.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import { parsePage } from '../../../lib/paging.ts'
import { openGame } from '../../games/service.ts'
import type { ChunkResult } from './chunks.ts'
import { CopyRanges, OpenSession, UploadedFile, UploadProject, UploadSession } from './model.ts'
import { loadProject, receiveCopy, receiveFile, receiveSession } from './service.ts'
import { endSession, listSessions, loadSession } from './sessions.ts'
import type { Target, Uploads } from './state.ts'

const tags = ['Builds']
const SESSION_FORM_BYTES_MAX = 64 * 1024

const FORM_ERRORS = [
  'build_not_named',
  'build_not_found',
  'upload_field_invalid',
  'upload_too_large',
  'storage_used_up',
  'storage_full',
  'email_not_verified',
  'forbidden',
  'uploads_limited',
  'service_down',
] as const satisfies ErrorName[]
const CHUNK_ERRORS = [
  'checksum_mismatch',
  'file_record_failed',
  'chunk_invalid',
  'chunk_out_of_place',
  'chunk_in_progress',
  'upload_session_gone',
] as const satisfies ErrorName[]

/** Created per route, because the kit adds the route's access to the description. */
const fileRoute = () =>
  ({
    rawBody: true,
    response: { 201: Envelope(UploadedFile), 202: Envelope(UploadSession) },
    summary: 'Upload a file: a whole zip, or a chunk of a session',
    description:
      'The last chunk of a session that was opened with `checksum_in_last_chunk` has the field `checksum` too, before or after the file. If it is missing or malformed (4041), the bytes are stored: repeat the last byte with it.',
    fails: [...FORM_ERRORS, 'file_missing', ...CHUNK_ERRORS],
  }) as const
const openRoute = () =>
  ({
    rawBody: true,
    response: { 201: Envelope(UploadSession) },
    summary: 'Open a session to upload a file in chunks',
    description:
      'Form or JSON: `filename`, `total_size`, `checksum` and the build. `checksum_in_last_chunk=true` instead of `checksum` lets a client hash the file while it sends it.',
    fails: [...FORM_ERRORS, 'upload_base_unusable'],
  }) as const
const readRoute = () =>
  ({
    response: Envelope(UploadSession),
    summary: 'The progress of an upload',
    fails: ['forbidden', 'upload_session_gone'],
  }) as const
const endRoute = () =>
  ({
    response: Nothing,
    summary: 'Cancel an upload',
    fails: ['forbidden', 'upload_session_gone', 'chunk_in_progress'],
  }) as const

/** For pipelines, with a deploy key. */
export function toolUploadRoutes(kit: HttpKit, uploads: Uploads) {
  return createRoutes(kit, { name: 'tool-uploads', prefix: '/api/v1/tool/upload', tags })
    .post('/files', async (context) => respond(await receiveFile(uploads, context, context.actor)), {
      ...fileRoute(),
      deployKey: 'finish',
    })
    .post(
      '/sessions',
      async (context) =>
        status(201, ok(await receiveSession(uploads, context, context.actor, bodyOf(context)))),
      { ...openRoute(), deployKey: true },
    )
    .get(
      '/sessions/:session_id',
      async ({ actor, params }) => ok(await loadSession(uploads, actor, params.session_id)),
      { ...readRoute(), deployKey: 'finish' },
    )
    .delete(
      '/sessions/:session_id',
      async ({ actor, params }) => await done(endSession(uploads, actor, params.session_id)),
      { ...endRoute(), deployKey: 'finish' },
    )
    .post(
      '/sessions/:session_id/copy',
      async (context) => {
        const { actor, body, params } = context
        return respond(await receiveCopy(uploads, context, actor, params.session_id, body))
      },
      {
        deployKey: 'finish',
        body: CopyRanges,
        response: { 201: Envelope(UploadedFile), 202: Envelope(UploadSession) },
        summary: 'Append bytes of the base, as if they had been sent as a chunk',
        fails: [
          ...CHUNK_ERRORS,
          'forbidden',
          'upload_base_unusable',
          'uploads_limited',
          'storage_full',
          'service_down',
        ],
      },
    )
}

/** Belongs to the API: pipelines learn UPLOAD_URL here. */
export function uploadProjectRoutes(kit: HttpKit, deps: Deps) {
  return createRoutes(kit, { name: 'upload-project', prefix: '/api/v1/tool/upload', tags }).get(
    '/project',
    async ({ actor }) => ok(await loadProject(deps, actor)),
    {
      deployKey: true,
      response: Envelope(UploadProject),
      summary: 'The game of a deploy key, and how to send its files',
    },
  )
}

/** For owner and admins on the website. */
export function websiteUploadRoutes(kit: HttpKit, uploads: Uploads) {
  async function targetOf(actor: WebsiteUser, ref: string): Promise<Target> {
    const { game } = await openGame(uploads.deps.db, actor, ref, 'edit')
    return {
      gameUid: game.uid,
      ownerUid: game.ownerUid,
      keyUid: null,
      channels: null,
      hasExpired: false,
    }
  }

  return createRoutes(kit, { name: 'website-uploads', prefix: '/api/v1/private/games/:uid/upload', tags })
    .post(
      '/files',
      async (context) => {
        const target = await targetOf(context.actor, context.params.uid)
        return respond(await receiveFile(uploads, context, target))
      },
      { ...fileRoute(), website: true, secondFactor: 'always' },
    )
    .post(
      '/sessions',
      async (context) => {
        const target = await targetOf(context.actor, context.params.uid)
        return status(201, ok(await receiveSession(uploads, context, target, bodyOf(context))))
      },
      { ...openRoute(), website: true, secondFactor: 'always' },
    )
    .get(
      '/sessions',
      async ({ actor, params, query }) => {
        const { gameUid } = await targetOf(actor, params.uid)
        const sessions = await listSessions(uploads.deps, gameUid)
        const { offset, ...page } = parsePage(query)
        const items = sessions.slice(offset, offset + page.page_size)
        return ok({ items, total: sessions.length, ...page })
      },
      {
        website: true,
        ...listOf(OpenSession),
        summary: 'The uploads that can be continued, newest first',
      },
    )
    .get(
      '/sessions/:session_id',
      async ({ actor, params }) => {
        const target = await targetOf(actor, params.uid)
        return ok(await loadSession(uploads, target, params.session_id))
      },
      { ...readRoute(), website: true },
    )
    .delete(
      '/sessions/:session_id',
      async ({ actor, params }) => {
        const target = await targetOf(actor, params.uid)
        await endSession(uploads, target, params.session_id)
        return ok({})
      },
      { ...endRoute(), website: true },
    )
}

/** Read only after it was checked that the sender may upload. */
function bodyOf({ request }: { request: Request }): () => Promise<unknown> {
  return () => readFormOrJson(request, SESSION_FORM_BYTES_MAX)
}

function respond(result: ChunkResult) {
  return result.isDone ? status(201, ok(result.file)) : status(202, ok(result.session))
}
