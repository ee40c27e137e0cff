import { Elysia } from 'elysia'

import { resolveRange } from '../../clients/object-store/byte-range.ts'
import { attachmentDisposition } from '../../clients/object-store/content-disposition.ts'
import type { ObjectStore, OpenedLink } from '../../clients/object-store/object-store.ts'
import { AppError } from '../../errors.ts'
import { openRead } from '../server/admission.ts'
import { readRange } from './ranges.ts'

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
  const wanted = readRange(asked, info.etag)
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
