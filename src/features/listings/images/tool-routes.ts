import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import type { DeployKey } from '../../../domain/actor.ts'
import { IMAGE_KINDS, type ImageKind } from '../../../domain/listings/listing.ts'
import { AppError, invalidField } from '../../../errors.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { failsWith } from '../../../http/openapi/failures.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import type { Arrival } from '../../../lib/net/idle-timeout.ts'
import { requireEveryChannel } from '../../builds/deploy-keys/channels.ts'
import { Image } from './model.ts'
import { receiveImage } from './receive.ts'
import { saveImage } from './service.ts'
import { findOwner } from './tool-queries.ts'

/** For pipelines: a deploy key acts for the owner of its game. */
export function toolImageRoutes(kit: HttpKit, deps: Deps) {
  async function receive(arrival: Arrival, key: DeployKey): Promise<Image> {
    requireEveryChannel(key)
    const { gameUid } = key
    const owner = await findOwner(deps.db, gameUid)
    if (!owner) throw new AppError('not_found')
    if (!owner.emailVerified) throw new AppError('email_not_verified')
    return await receiveImage(deps, arrival, { accountUid: owner.userUid, gameUid }, (file) =>
      saveImage(deps, owner, gameUid, readKind(file.fields.get('kind')), file),
    )
  }

  return new Elysia({ name: 'tool-images', prefix: '/api/v1/tool/upload' })
    .use(kit)
    .post('/images', async (context) => context.status(201, ok(await receive(context, context.actor))), {
      rawBody: true,
      deployKey: true,
      limit: 'upload',
      response: { 201: Envelope(Image) },
      detail: {
        tags: ['Listings'],
        summary: 'Set cover or thumbnail, or add to the gallery: a form with `kind` and `file`',
        ...failsWith('email_not_verified', 'forbidden', 'rate_limited', 'storage_used_up', 'storage_full'),
      },
    })
}

function readKind(given: string | undefined): ImageKind {
  const kind = IMAGE_KINDS.find((known) => known === given)
  if (kind) return kind
  throw invalidField('kind', `must be one of ${IMAGE_KINDS.join(', ')}.`)
}
