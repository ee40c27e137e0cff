import { CONTENTS_TYPE } from '../../../lib/zip/contents.ts'

/** The bytes of a file never change, so neither do its contents. */
const FOREVER = 'private, max-age=31536000, immutable'

export function respondContents(document: Uint8Array): Response {
  return new Response(document, { headers: { 'content-type': CONTENTS_TYPE, 'cache-control': FOREVER } })
}

/** For the description of a route. */
export const CONTENTS_RESPONSE = {
  description:
    'The files of the zip with the place of their packed bytes, sizes, mode and SHA-256, and the parts that can be unpacked alone. Binary and compressed by zlib; its layout is in the documentation.',
  content: { [CONTENTS_TYPE]: { schema: { type: 'string' as const, format: 'binary' }, example: 'x…' } },
}
