import type { Deps } from '../../../deps.ts'
import type { DeployKey } from '../../../domain/actor.ts'
import type { ErrorName } from '../../../error-table.ts'
import { done, Envelope, Nothing, ok, Paged } from '../../../http/input/schema.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import { type Arrival, extendIdleTimeout } from '../../../lib/net/requests.ts'
import { parsePage } from '../../../lib/paging.ts'
import { reserveUpload } from '../uploads/form.ts'
import { requireUploader } from '../uploads/state.ts'
import { StoredSymbols, Symbols, SYMBOLS_BYTES_MAX, SymbolsQuery } from './model.ts'
import { listSymbols, removeSymbols } from './service.ts'
import { receiveSymbols } from './upload.ts'

const tags = ['Builds']

const UPLOAD_ERRORS = [
  'file_missing',
  'build_not_named',
  'build_not_found',
  'upload_field_invalid',
  'upload_too_large',
  'storage_used_up',
  'storage_full',
  'email_not_verified',
  'forbidden',
  'symbols_not_stored',
  'uploads_limited',
] as const satisfies ErrorName[]

export function symbolRoutes(kit: HttpKit, deps: Deps) {
  return createRoutes(kit, { name: 'symbols', prefix: '/api/v1/private/games/:uid', tags })
    .get(
      '/symbols',
      async ({ actor, params, query }) =>
        ok(await listSymbols(deps, actor, params.uid, query.build_id, parsePage(query))),
      {
        websiteOrAgent: 'mcp:builds.read',
        query: SymbolsQuery,
        response: Envelope(Paged(Symbols)),
        summary: 'The symbols of a game, newest first',
      },
    )
    .delete(
      '/symbols/:symbol_uid',
      async ({ actor, params }) => await done(removeSymbols(deps, actor, params.uid, params.symbol_uid)),
      {
        websiteOrAgent: 'mcp:builds.write',
        response: Nothing,
        summary: 'Delete symbols',
      },
    )
}

interface SymbolUpload extends Arrival {
  actor: DeployKey
}

/** For pipelines, with a deploy key. */
export function symbolUploadRoutes(kit: HttpKit, deps: Deps) {
  async function receive(arrival: SymbolUpload): Promise<StoredSymbols> {
    const { actor, request } = arrival
    await requireUploader(deps.db, actor)
    await using held = new AsyncDisposableStack()
    held.use(await reserveUpload(deps, actor.gameUid, request, SYMBOLS_BYTES_MAX))
    return await extendIdleTimeout(arrival, () => receiveSymbols(deps, request, actor))
  }

  return createRoutes(kit, { name: 'symbol-uploads', prefix: '/api/v1/tool/upload', tags }).post(
    '/symbols',
    async (context) => context.status(201, ok(await receive(context))),
    {
      rawBody: true,
      deployKey: true,
      limit: 'upload',
      response: { 201: Envelope(StoredSymbols) },
      summary: 'Upload symbols of a build: a form with `build_id` and a `.sym`',
      fails: [...UPLOAD_ERRORS],
    },
  )
}
