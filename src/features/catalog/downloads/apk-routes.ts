import { Elysia } from 'elysia'

import { resolveRange } from '../../../clients/object-store/byte-range.ts'
import { attachmentDisposition } from '../../../clients/object-store/content-disposition.ts'
import { openInflated, openPart, openSent, streamInOrder } from '../../../clients/object-store/zip-entry.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { readRange } from '../../../http/output/ranges.ts'
import { openApk } from './apk.ts'
import type { Downloads } from './downloads.ts'

/** Where the links to single packages lead. */
export function apkRoutes(kit: HttpKit, downloads: Downloads) {
  return new Elysia({ name: 'apks', prefix: '/objects/apk' })
    .use(kit)
    .get(
      '/:file_uid',
      async ({ params, query, request }) =>
        await respond(downloads, await openApk(downloads, params.file_uid, query), request.headers),
      { limit: 'apk', open: true, detail: { hide: true } },
    )
}

/**
 * Stores sign links to whole objects only, so these bytes pass this process, as those of played games do. A deflated
 * package is inflated on the way and has no ranges.
 */
async function respond(
  { deps: { store } }: Downloads,
  { entry, objectKey, filename, contentType }: Awaited<ReturnType<typeof openApk>>,
  asked: Headers,
): Promise<Response> {
  const { size, sha256, isDeflated } = entry
  const etag = `"${sha256}"`
  const headers = {
    'content-type': contentType,
    'content-disposition': attachmentDisposition(filename),
    etag,
    'cache-control': 'private, no-store',
    'x-content-type-options': 'nosniff',
    ...(!isDeflated && { 'accept-ranges': 'bytes' }),
  }
  if (isDeflated) return new Response(await openInflated(store, objectKey, entry), { headers })
  const wanted = readRange(asked, etag)
  if (!wanted) return new Response(streamInOrder(await openSent(store, objectKey, entry)), { headers })
  const range = resolveRange(wanted, size)
  if (!range) {
    return new Response(null, { status: 416, headers: { ...headers, 'content-range': `bytes */${size}` } })
  }
  const part = streamInOrder(await openPart(store, objectKey, entry, range))
  const contentRange = `bytes ${range.start}-${range.end}/${size}`
  return new Response(part, { status: 206, headers: { ...headers, 'content-range': contentRange } })
}
