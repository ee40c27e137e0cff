import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import type { DeployKey, WebsiteUser } from '../../../domain/actor.ts'
import { IMAGE_KINDS, type ImageKind } from '../../../domain/listings/listing.ts'
import { AppError, invalidField } from '../../../errors.ts'
import { done, Envelope, Nothing, ok } from '../../../http/input/schema.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import { cacheControlOf, type CacheRule, isNotModified } from '../../../http/output/caching.ts'
import { openRead } from '../../../http/server/admission.ts'
import type { Arrival } from '../../../lib/net/requests.ts'
import { requireEveryChannel } from '../../builds/deploy-keys/service.ts'
import { openGame } from '../../games/service.ts'
import { GalleryOrder, Image, PageImages } from './model.ts'
import { findOwner } from './queries.ts'
import {
  createHiddenImages,
  listImages,
  openMedia,
  orderGallery,
  receiveImage,
  removeImage,
  saveImage,
} from './service.ts'
import { openVariant } from './variants.ts'

const tags = ['Listings']

interface Upload extends Arrival {
  actor: WebsiteUser
  params: { uid: string }
}

export function imageRoutes(kit: HttpKit, deps: Deps) {
  /** Checks permission before the file is read. */
  async function receive(kind: ImageKind, upload: Upload): Promise<Image> {
    const { actor, params } = upload
    const { game } = await openGame(deps.db, actor, params.uid, 'edit')
    const whose = { accountUid: actor.userUid, gameUid: game.uid }
    return await receiveImage(deps, upload, whose, (file) => saveImage(deps, actor, game.uid, kind, file))
  }

  return createRoutes(kit, { name: 'images', prefix: '/api/v1/private/games/:uid', tags })
    .get('/images', async ({ actor, params }) => ok(await listImages(deps, actor, params.uid)), {
      website: true,
      response: Envelope(PageImages),
      summary: 'The images of a page',
    })
    .put('/images/cover', async (context) => ok(await receive('cover', context)), {
      rawBody: true,
      website: true,
      limit: 'image_upload',
      response: Envelope(Image),
      summary: 'Set the cover: a form with `file`, cropped and scaled to 1280×720',
    })
    .put('/images/thumbnail', async (context) => ok(await receive('thumbnail', context)), {
      rawBody: true,
      website: true,
      limit: 'image_upload',
      response: Envelope(Image),
      summary: 'Set the thumbnail: a form with `file`, cropped and scaled to 640×360',
    })
    .post('/images/gallery', async (context) => context.status(201, ok(await receive('gallery', context))), {
      rawBody: true,
      website: true,
      limit: 'image_upload',
      response: { 201: Envelope(Image) },
      summary: 'Add to the gallery: a form with `file`, scaled to fit in 1920×1080',
    })
    .put(
      '/images/gallery/order',
      async ({ actor, params, body }) => ok(await orderGallery(deps, actor, params.uid, body.uids)),
      {
        website: true,
        body: GalleryOrder,
        response: Envelope(PageImages),
        summary: 'Order the gallery by the uids of its images',
      },
    )
    .delete(
      '/images/:image_uid',
      async ({ actor, params }) => await done(removeImage(deps, actor, params.uid, params.image_uid)),
      {
        website: true,
        response: Nothing,
        summary: 'Delete an image',
      },
    )
}

/** The bytes of a URL never change, but a page may be taken down: caches ask again after this. */
const MEDIA_CACHE: CacheRule = { maxAge: 300 }

/** Serves the images of all pages to any origin; those of pages that were taken down only to operators. */
export function mediaRoutes(
  deps: Pick<Deps, 'objects' | 'db' | 'log'>,
  isOperator: (headers: Headers) => Promise<boolean>,
) {
  const { objects } = deps
  const isHidden = createHiddenImages(deps)
  return new Elysia({ name: 'media', tags }).get(
    '/media/:file',
    async ({ params, request }) => {
      const variant = openVariant(objects, params.file)
      const media = variant ?? openMedia(objects, params.file)
      const isPersonal = await isHidden(media.imageKey)
      if (isPersonal && !(await isOperator(request.headers))) throw new AppError('not_found')
      const headers = {
        'Content-Type': variant?.contentType ?? 'image/webp',
        'Cache-Control': cacheControlOf(MEDIA_CACHE, isPersonal),
        'Cross-Origin-Resource-Policy': 'cross-origin',
        ETag: media.etag,
      }
      if (isNotModified(request, media.etag) && (await media.exists())) {
        return new Response(null, { status: 304, headers })
      }
      const { stream, size } = await media.read()
      return new Response(stream, { headers: { ...headers, 'Content-Length': String(size) } })
    },
    openRead({ hide: true }),
  )
}

/** For pipelines: a deploy key acts for the owner of its game. */
export function toolImageRoutes(kit: HttpKit, deps: Deps) {
  async function receive(arrival: Arrival, key: DeployKey): Promise<Image> {
    requireEveryChannel(key)
    const { gameUid } = key
    const owner = await findOwner(deps.db, gameUid)
    if (!owner) throw new AppError('not_found')
    if (!owner.emailVerified) throw new AppError('email_not_verified')
    return await receiveImage(deps, arrival, { accountUid: owner.userUid, gameUid }, (file) =>
      saveImage(deps, owner, gameUid, parseKind(file.fields.get('kind')), file),
    )
  }

  return createRoutes(kit, { name: 'tool-images', prefix: '/api/v1/tool/upload', tags }).post(
    '/images',
    async (context) => context.status(201, ok(await receive(context, context.actor))),
    {
      rawBody: true,
      deployKey: true,
      limit: 'upload',
      response: { 201: Envelope(Image) },
      summary: 'Set cover or thumbnail, or add to the gallery: a form with `kind` and `file`',
      fails: ['email_not_verified', 'forbidden', 'rate_limited', 'storage_used_up', 'storage_full'],
    },
  )
}

function parseKind(given: string | undefined): ImageKind {
  const kind = IMAGE_KINDS.find((known) => known === given)
  if (kind) return kind
  throw invalidField('kind', `must be one of ${IMAGE_KINDS.join(', ')}.`)
}
