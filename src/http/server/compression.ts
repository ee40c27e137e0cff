import { constants, zstdCompressSync } from 'node:zlib'

import { acceptsEncoding } from '../../lib/net/requests.ts'

export type Encoding = 'zstd' | 'gzip'

const GZIP_LEVEL = 4
const ZSTD = { params: { [constants.ZSTD_c_compressionLevel]: 3 } }

/** The best encoding the client accepts; null sends the text uncompressed. */
export function parseEncoding(headers: Headers): Encoding | null {
  if (acceptsEncoding(headers, 'zstd')) return 'zstd'
  return acceptsEncoding(headers, 'gzip') ? 'gzip' : null
}

/** A text, or one that is already encoded in UTF-8. */
export type Content = Uint8Array<ArrayBuffer> | string

export function compress(content: Content, encoding: Encoding | null): Content {
  if (encoding === null) return content
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
  return encoding === 'gzip'
    ? Bun.gzipSync(bytes, { level: GZIP_LEVEL })
    : new Uint8Array(zstdCompressSync(bytes, ZSTD))
}
