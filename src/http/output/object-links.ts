import { Elysia } from 'elysia'

import { attachmentDisposition } from '../../clients/objects/content-disposition.ts'
import { resolveRange } from '../../clients/objects/object-ranges.ts'
import type { ByteRange, ObjectStore, OpenedLink } from '../../clients/objects/object-store.ts'
import { AppError } from '../../errors.ts'
import { openRead } from '../server/admission.ts'

/**
 * The single range that a request asks for of this version. Null for anything else, including several ranges: the whole
 * is sent then, as the standard allows.
 */
export function parseRange(headers: Headers, etag: string): ByteRange | null {
  const known = headers.get('if-range')
  if (known !== null && known !== etag) return null
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(headers.get('range')?.trim() ?? '') ?? []
  if (first === undefined || last === undefined || (first === '' && last === '')) return null
  if (first === '') return { suffix: Number(last) }
  if (last === '') return { start: Number(first) }
  return Number(first) > Number(last) ? null : { start: Number(first), end: Number(last) }
}

/** Serves the signed links of a store that has no server of its own. */
export function objectLinks({ localLinks }: Pick<ObjectStore, 'localLinks'>) {
  return new Elysia({ name: 'object-links' }).get(
    '/objects/*',
    async ({ params, query, request }) => {
      if (!localLinks) throw new AppError('not_found')
      const link = await localLinks.open(params['*'], query)
      return respond(link, request.headers)
    },
    openRead(),
  )
}

function respond(link: OpenedLink, asked: Headers): Response {
  const { file, info, filename, contentType } = link
  const headers = {
    'Content-Type': contentType,
    'Content-Disposition': attachmentDisposition(filename),
    'Accept-Ranges': 'bytes',
    ETag: info.etag,
    'Last-Modified': info.modifiedAt.toUTCString(),
    'Cache-Control': 'private, no-store',
    'X-Content-Type-Options': 'nosniff',
  }
  const wanted = parseRange(asked, info.etag)
  if (!wanted) return new Response(file, { headers })

  const bytes = resolveRange(wanted, info.size)
  if (!bytes) {
    return new Response(null, {
      status: 416,
      headers: { ...headers, 'Content-Range': `bytes */${info.size}` },
    })
  }
  return new Response(file.slice(bytes.start, bytes.end + 1), {
    status: 206,
    headers: { ...headers, 'Content-Range': `bytes ${bytes.start}-${bytes.end}/${info.size}` },
  })
}
