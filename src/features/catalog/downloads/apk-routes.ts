import { attachmentDisposition } from '../../../clients/objects/content-disposition.ts'
import { resolveRange } from '../../../clients/objects/object-ranges.ts'
import { openInflated, openPart, openSent, streamInOrder } from '../../../clients/objects/zip-entry.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import { parseRange } from '../../../http/output/object-links.ts'
import { openApk } from './apk.ts'
import type { Downloads } from './service.ts'

/** Where the links to single packages lead. */
export function apkRoutes(kit: HttpKit, downloads: Downloads) {
  return createRoutes(kit, { name: 'apks', prefix: '/objects/apk' }).get(
    '/:file_uid',
    async ({ params, query, request }) =>
      await respond(downloads, await openApk(downloads, params.file_uid, query), request.headers),
    { limit: 'apk', open: true, detail: { hide: true } },
  )
}

/**
 * Object stores sign links to whole objects only, so these bytes pass through this process, as for played
 * games. A deflated package is inflated on the way and supports no ranges.
 */
async function respond(
  { deps: { objects } }: Downloads,
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
  if (isDeflated) return new Response(await openInflated(objects, objectKey, entry), { headers })
  const wanted = parseRange(asked, etag)
  if (!wanted) return new Response(streamInOrder(await openSent(objects, objectKey, entry)), { headers })
  const range = resolveRange(wanted, size)
  if (!range) {
    return new Response(null, { status: 416, headers: { ...headers, 'content-range': `bytes */${size}` } })
  }
  const part = streamInOrder(await openPart(objects, objectKey, entry, range))
  const contentRange = `bytes ${range.start}-${range.end}/${size}`
  return new Response(part, { status: 206, headers: { ...headers, 'content-range': contentRange } })
}
