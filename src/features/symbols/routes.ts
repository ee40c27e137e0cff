import { Elysia, t } from 'elysia'

import type { Deps } from '../../deps.ts'
import { Envelope, ok } from '../../http/envelope.ts'
import type { HttpKit } from '../../http/kit.ts'
import { failsWith } from '../../http/openapi/failures.ts'
import { Paged, PageQuery } from '../../http/paging.ts'
import { bearSlowSender } from '../../http/slow-sender.ts'
import type { DeployKey } from '../../lib/actor.ts'
import { readPage } from '../../lib/paging.ts'
import { readUploadForm, requireUploader } from '../uploads/service.ts'
import { StoredSymbols, Symbols, SYMBOLS_BYTES_MAX } from './model.ts'
import { listSymbols, removeSymbols } from './service.ts'
import { symbolsTooLarge } from './symbol-file.ts'
import { uploadSymbols } from './upload.ts'

const tags = ['Builds']
const errors = failsWith(
  ...(['file_missing', 'build_not_named', 'build_not_found', 'upload_field_invalid'] as const),
  ...(['upload_too_large', 'email_not_verified', 'symbols_not_stored'] as const),
)

interface Arrival {
  actor: DeployKey
  request: Request
  server: { timeout(request: Request, seconds: number): void } | null
}

export function symbolRoutes(kit: HttpKit, deps: Deps) {
  async function receive(arrival: Arrival): Promise<StoredSymbols> {
    const { actor, request } = arrival
    await requireUploader(deps.db, actor.gameUid, actor.keyUid)
    return await bearSlowSender(arrival, () =>
      uploadSymbols(deps, actor.gameUid, (onFile) =>
        readUploadForm(request, {
          maxBytes: SYMBOLS_BYTES_MAX,
          tooLarge: symbolsTooLarge,
          isWanted: ({ field }) => field === 'file',
          onFile,
        }),
      ),
    )
  }

  return new Elysia({ name: 'symbols' })
    .use(kit)
    .post('/api/v1/tool/upload/symbols', async (context) => context.status(201, ok(await receive(context))), {
      rawBody: true,
      deployKey: true,
      limit: 'upload',
      response: { 201: Envelope(StoredSymbols) },
      detail: {
        tags,
        summary: 'Upload symbols of a build: a form with `build_id` and a `.sym`',
        ...errors,
      },
    })
    .get(
      '/api/v1/private/games/:uid/symbols',
      async ({ actor, params, query }) => ok(await listSymbols(deps, actor, params.uid, readPage(query))),
      {
        websiteOrAgent: 'mcp:builds.read',
        query: PageQuery,
        response: Envelope(Paged(Symbols)),
        detail: { tags, summary: 'The symbols of a game, newest first' },
      },
    )
    .delete(
      '/api/v1/private/games/:uid/symbols/:symbol_uid',
      async ({ actor, params }) => {
        await removeSymbols(deps, actor, params.uid, params.symbol_uid)
        return ok({})
      },
      {
        websiteOrAgent: 'mcp:builds.write',
        response: Envelope(t.Object({})),
        detail: { tags, summary: 'Delete symbols' },
      },
    )
}
