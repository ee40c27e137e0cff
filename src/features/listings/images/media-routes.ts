import { Elysia } from 'elysia'

import type { ObjectStore } from '../../../clients/object-store/object-store.ts'
import { openRead } from '../../../http/admission.ts'
import { matchesEtag } from '../../../http/caching.ts'
import { openMedia } from './objects.ts'
import { openVariant } from './variants.ts'

/** Serves the images of all pages to any origin. URLs contain the hash of the bytes, so they never expire. */
export function mediaRoutes(store: ObjectStore) {
  return new Elysia({ name: 'media' }).get(
    '/media/:file',
    async ({ params, request }) => {
      const variant = openVariant(store, params.file)
      const media = variant ?? openMedia(store, params.file)
      const headers = {
        'Content-Type': variant?.contentType ?? 'image/webp',
        'Cache-Control': 'public, max-age=31536000, immutable',
        'Cross-Origin-Resource-Policy': 'cross-origin',
        ETag: media.etag,
      }
      if (matchesEtag(request.headers.get('if-none-match'), media.etag) && (await media.exists())) {
        return new Response(null, { status: 304, headers })
      }
      const { stream, size } = await media.read()
      return new Response(stream, { headers: { ...headers, 'Content-Length': String(size) } })
    },
    openRead({ hide: true }),
  )
}
