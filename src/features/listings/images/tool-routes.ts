import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import { IMAGE_KINDS, type ImageKind } from '../../../domain/listing.ts'
import { AppError } from '../../../errors.ts'
import { Envelope, ok } from '../../../http/envelope.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { readFormFile } from '../../../http/multipart.ts'
import { failsWith } from '../../../http/openapi/failures.ts'
import { createGate } from '../../../lib/gate.ts'
import { FILE_BYTES_MAX, Image, RECEIVE_MS } from './model.ts'
import { saveImage } from './service.ts'
import { findOwner } from './tool-queries.ts'

/** As on the website, files are held in memory until it is their turn. */
const UPLOADS_AT_ONCE = 4

/** For pipelines: what a deploy key does, it does for the owner of its game. */
export function toolImageRoutes(kit: HttpKit, deps: Deps) {
  const receiving = createGate(UPLOADS_AT_ONCE)

  async function receive(request: Request, gameUid: string): Promise<Image> {
    const owner = await findOwner(deps.db, gameUid)
    if (!owner) throw new AppError('not_found')
    if (!owner.emailVerified) throw new AppError('email_not_verified')
    return await receiving(1, async () => {
      const signal = AbortSignal.timeout(RECEIVE_MS)
      const file = await readFormFile(request, { field: 'file', maxBytes: FILE_BYTES_MAX, signal })
      return await saveImage(deps, owner, gameUid, readKind(file.fields.get('kind')), file)
    })
  }

  return new Elysia({ name: 'tool-images', prefix: '/api/v1/tool/upload' })
    .use(kit)
    .post(
      '/images',
      async ({ actor, request, status }) => status(201, ok(await receive(request, actor.gameUid))),
      {
        rawBody: true,
        deployKey: true,
        limit: 'upload',
        response: { 201: Envelope(Image) },
        detail: {
          tags: ['Listings'],
          summary: 'Set cover or thumbnail, or add to the gallery: a form with `kind` and `file`',
          ...failsWith('email_not_verified'),
        },
      },
    )
}

function readKind(given: string | undefined): ImageKind {
  const kind = IMAGE_KINDS.find((known) => known === given)
  if (kind) return kind
  const issues = [{ path: 'kind', message: `Send kind as one of ${IMAGE_KINDS.join(', ')}.` }]
  throw new AppError('invalid_request', { message: 'The form is not valid.', data: { issues } })
}
