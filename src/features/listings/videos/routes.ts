import { Elysia } from 'elysia'

import { resolveRange } from '../../../clients/objects/object-ranges.ts'
import { openBody } from '../../../clients/objects/open-body.ts'
import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { AppError, invalidField } from '../../../errors.ts'
import { FORM_TYPE, mediaTypeOf, readFormBody, readJsonBody } from '../../../http/input/body.ts'
import { done, Envelope, Nothing, ok } from '../../../http/input/schema.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import { cacheControlOf, type CacheRule, isNotModified } from '../../../http/output/caching.ts'
import { parseRange } from '../../../http/output/object-links.ts'
import { openRead } from '../../../http/server/admission.ts'
import { isObject } from '../../../lib/field-readers.ts'
import { isForm } from '../../../lib/form/multipart.ts'
import type { Arrival } from '../../../lib/net/requests.ts'
import { createHiddenImages } from '../images/service.ts'
import { Video, VideoOrder, Videos } from './model.ts'
import {
  linkVideo,
  listVideos,
  orderVideos,
  parseVideoFile,
  removeVideo,
  uploadPoster,
  uploadVideo,
} from './service.ts'

const tags = ['Listings']

interface Sent extends Arrival {
  actor: WebsiteUser
  params: { uid: string }
}

export function videoRoutes(kit: HttpKit, deps: Deps) {
  async function add(sent: Sent): Promise<Video> {
    const { actor, params, request } = sent
    if (isForm(request)) return await uploadVideo(deps, actor, params.uid, sent)
    return await linkVideo(deps, actor, params.uid, await readUrl(request))
  }

  return createRoutes(kit, { name: 'videos', prefix: '/api/v1/private/games/:uid/videos', tags })
    .get('', async ({ actor, params }) => ok(await listVideos(deps, actor, params.uid)), {
      website: true,
      response: Envelope(Videos),
      summary: 'The videos of a page',
    })
    .post('', async (context) => context.status(201, ok(await add(context))), {
      rawBody: true,
      website: true,
      limit: 'video_upload',
      response: { 201: Envelope(Video) },
      summary:
        'Add a video: a form with `file` (MP4 or WebM) and maybe `poster`, or the `url` of one at YouTube, Vimeo or PeerTube',
    })
    .put(
      '/order',
      async ({ actor, params, body }) => ok(await orderVideos(deps, actor, params.uid, body.uids)),
      {
        website: true,
        body: VideoOrder,
        response: Envelope(Videos),
        summary: 'Order the videos by their uids',
      },
    )
    .put(
      '/:video_uid/poster',
      async (context) => {
        const { actor, params } = context
        return ok(await uploadPoster(deps, actor, params.uid, params.video_uid, context))
      },
      {
        rawBody: true,
        website: true,
        limit: 'image_upload',
        response: Envelope(Video),
        summary: 'Set the poster of a video: a form with `file`, scaled to fit in 1280×1280',
      },
    )
    .delete(
      '/:video_uid',
      async ({ actor, params }) => await done(removeVideo(deps, actor, params.uid, params.video_uid)),
      {
        website: true,
        response: Nothing,
        summary: 'Delete a video',
      },
    )
}

/** From JSON, or from a form of a browser. */
async function readUrl(request: Request): Promise<string> {
  if (mediaTypeOf(request.headers.get('content-type')) === FORM_TYPE) {
    return (await readFormBody(request)).get('url') ?? ''
  }
  const body = await readJsonBody(request)
  const url = isObject(body) ? body.url : undefined
  if (typeof url !== 'string') throw invalidField('url', 'must be a text.')
  return url
}

/** The bytes of an address never change, but a page may be taken down: caches ask again after this. */
const VIDEO_CACHE: CacheRule = { maxAge: 300 }
/** A link leads to the file itself: the page that a browser makes around it loads the file again, and has styles. */
const VIDEO_POLICY = "default-src 'none'; media-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'"

/** Serves the videos of all pages, with ranges; those of pages that were taken down only to operators. */
export function videoMediaRoutes(
  deps: Pick<Deps, 'objects' | 'db' | 'log'>,
  isOperator: (headers: Headers) => Promise<boolean>,
) {
  const { objects } = deps
  const isHidden = createHiddenImages(deps)
  return new Elysia({ name: 'video-media', tags }).get(
    '/media/videos/:file',
    async ({ params, request }) => {
      const { objectKey, contentType } = parseVideoFile(params.file)
      const isPersonal = await isHidden(objectKey)
      if (isPersonal && !(await isOperator(request.headers))) throw new AppError('not_found')
      const info = await objects.head(objectKey)
      if (!info) throw new AppError('not_found')
      const { size } = info
      const etag = `"${params.file}"`
      const headers = {
        'Content-Type': contentType,
        'Cache-Control': cacheControlOf(VIDEO_CACHE, isPersonal),
        'Content-Security-Policy': VIDEO_POLICY,
        'Cross-Origin-Resource-Policy': 'cross-origin',
        'Accept-Ranges': 'bytes',
        ETag: etag,
      }
      if (isNotModified(request, etag)) return new Response(null, { status: 304, headers })
      const wanted = parseRange(request.headers, etag)
      const range = wanted && resolveRange(wanted, size)
      if (wanted && !range) {
        return new Response(null, {
          status: 416,
          headers: { ...headers, 'Content-Range': `bytes */${size}` },
        })
      }
      const body = await openBody(objects, objectKey, range)
      if (!range) return new Response(body, { headers: { ...headers, 'Content-Length': String(size) } })
      return new Response(body, {
        status: 206,
        headers: {
          ...headers,
          'Content-Length': String(range.end + 1 - range.start),
          'Content-Range': `bytes ${range.start}-${range.end}/${size}`,
        },
      })
    },
    openRead({ hide: true }),
  )
}
