import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import type { DeployKey } from '../../../domain/actor.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { failsWith } from '../../../http/openapi/failures.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { type Arrival, extendIdleTimeout } from '../../../lib/net/idle-timeout.ts'
import { requireUploader } from '../uploads/service.ts'
import { readUploadForm, reserveUpload } from '../uploads/upload-form.ts'
import { StoredSymbols, SYMBOLS_BYTES_MAX } from './model.ts'
import { symbolsTooLarge } from './symbol-file.ts'
import { uploadSymbols } from './upload.ts'

const errors = failsWith(
  ...(['file_missing', 'build_not_named', 'build_not_found', 'upload_field_invalid'] as const),
  ...(['upload_too_large', 'storage_used_up', 'storage_full'] as const),
  ...(['email_not_verified', 'forbidden', 'symbols_not_stored', 'uploads_limited'] as const),
)

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
    return await extendIdleTimeout(arrival, () =>
      uploadSymbols(deps, actor, (onFile) =>
        readUploadForm(request, {
          store: deps.store,
          owner: actor.ownerUid,
          maxBytes: SYMBOLS_BYTES_MAX,
          tooLarge: symbolsTooLarge,
          isWanted: ({ field }) => field === 'file',
          onFile,
        }),
      ),
    )
  }

  return new Elysia({ name: 'symbol-uploads', prefix: '/api/v1/tool/upload' })
    .use(kit)
    .post('/symbols', async (context) => context.status(201, ok(await receive(context))), {
      rawBody: true,
      deployKey: true,
      limit: 'upload',
      response: { 201: Envelope(StoredSymbols) },
      detail: {
        tags: ['Builds'],
        summary: 'Upload symbols of a build: a form with `build_id` and a `.sym`',
        ...errors,
      },
    })
}
