import { Elysia, t } from 'elysia'

import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import type { ImageKind } from '../../../domain/listings/listing.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import type { Arrival } from '../../../lib/net/idle-timeout.ts'
import { openGame } from '../../games/service.ts'
import { GalleryOrder, Image, PageImages } from './model.ts'
import { receiveImage } from './receive.ts'
import { listImages, orderGallery, removeImage, saveImage } from './service.ts'

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

  return new Elysia({ name: 'images', prefix: '/api/v1/private/games/:uid' })
    .use(kit)
    .get('/images', async ({ actor, params }) => ok(await listImages(deps, actor, params.uid)), {
      website: true,
      response: Envelope(PageImages),
      detail: { tags, summary: 'The images of a page' },
    })
    .put('/images/cover', async (context) => ok(await receive('cover', context)), {
      rawBody: true,
      website: true,
      limit: 'image_upload',
      response: Envelope(Image),
      detail: { tags, summary: 'Set the cover: a form with `file`, cropped and scaled to 1280×720' },
    })
    .put('/images/thumbnail', async (context) => ok(await receive('thumbnail', context)), {
      rawBody: true,
      website: true,
      limit: 'image_upload',
      response: Envelope(Image),
      detail: { tags, summary: 'Set the thumbnail: a form with `file`, cropped and scaled to 640×360' },
    })
    .post('/images/gallery', async (context) => context.status(201, ok(await receive('gallery', context))), {
      rawBody: true,
      website: true,
      limit: 'image_upload',
      response: { 201: Envelope(Image) },
      detail: { tags, summary: 'Add to the gallery: a form with `file`, scaled to fit in 1920×1080' },
    })
    .put(
      '/images/gallery/order',
      async ({ actor, params, body }) => ok(await orderGallery(deps, actor, params.uid, body.uids)),
      {
        website: true,
        body: GalleryOrder,
        response: Envelope(PageImages),
        detail: { tags, summary: 'Order the gallery by the uids of its images' },
      },
    )
    .delete(
      '/images/:image_uid',
      async ({ actor, params }) => {
        await removeImage(deps, actor, params.uid, params.image_uid)
        return ok({})
      },
      {
        website: true,
        response: Envelope(t.Object({})),
        detail: { tags, summary: 'Delete an image' },
      },
    )
}
