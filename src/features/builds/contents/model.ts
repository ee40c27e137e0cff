import { CONTENTS_TYPE } from '../../../lib/zip/contents.ts'

/** Where the bytes of an entry lie in the zip and how to unpack them. */
export interface EntryPlace {
  /** Where the entry begins, at its header, and how many bytes it has up to the next part. */
  at: number
  length: number
  /** STORED or DEFLATED. */
  method: number
  crc32: number
  /** The bytes of the content as they lie in the zip, and where the first of them is. */
  packed: number
  dataAt: number
  mode: number | null
}

export interface RecordedEntry extends EntryPlace {
  path: string
  /** Unpacked. */
  size: number
  /** Of the unpacked content. */
  sha256: string
}

export const STORED = 0
export const DEFLATED = 8

/** What clients need to fetch parts of a zip. */
export interface Contents {
  /** The size of all files when unpacked. */
  installedSize: number
  hasBlocks: boolean
  /** In the format of `lib/zip/contents.ts`; null where it would be too large. */
  document: Uint8Array | null
}

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
