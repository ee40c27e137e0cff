import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../errors.ts'
import { cacheControlOf, type CacheRule } from '../../../http/output/caching.ts'
import { isNotModified } from '../../../http/output/etags.ts'
import { openRead } from '../../../http/server/admission.ts'
import { createHiddenImages } from './hidden-images.ts'
import { openMedia } from './objects.ts'
import { openVariant } from './variants.ts'

/** The bytes of a URL never change, but a page may be taken down: caches ask again after this. */
const MEDIA_CACHE: CacheRule = { maxAge: 300 }

/** Serves the images of all pages to any origin; those of pages that were taken down only to operators. */
export function mediaRoutes(
  deps: Pick<Deps, 'store' | 'db' | 'log'>,
  isOperator: (headers: Headers) => Promise<boolean>,
) {
  const { store } = deps
  const isHidden = createHiddenImages(deps)
  return new Elysia({ name: 'media' }).get(
    '/media/:file',
    async ({ params, request }) => {
      const variant = openVariant(store, params.file)
      const media = variant ?? openMedia(store, params.file)
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
