import { constants, zstdCompressSync } from 'node:zlib'

export type Encoding = 'zstd' | 'gzip'

/** Matches `;q=0`, which excludes an encoding. */
const REFUSED = /;\s*q=0(?:\.0*)?\s*$/
const GZIP_LEVEL = 4
const ZSTD = { params: { [constants.ZSTD_c_compressionLevel]: 3 } }

/** The best encoding the client accepts; null sends the text uncompressed. */
export function readEncoding(headers: Headers): Encoding | null {
  const accepted = (headers.get('accept-encoding') ?? '').toLowerCase().split(',')
  const isAccepted = (name: Encoding) =>
    accepted.some((part) => part.split(';', 1)[0]?.trim() === name && !REFUSED.test(part))
  if (isAccepted('zstd')) return 'zstd'
  return isAccepted('gzip') ? 'gzip' : null
}

export function compress(text: string, encoding: Encoding | null): Uint8Array<ArrayBuffer> | string {
  if (encoding === null) return text
  const bytes = new TextEncoder().encode(text)
  return encoding === 'gzip'
    ? Bun.gzipSync(bytes, { level: GZIP_LEVEL })
    : new Uint8Array(zstdCompressSync(bytes, ZSTD))
}
