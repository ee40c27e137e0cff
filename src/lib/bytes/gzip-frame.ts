/** Magic number, deflate, no flags, no time, unknown system. */
export const GZIP_HEADER = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff)
export const GZIP_TRAILER_BYTES = 8

/** What follows the deflated bytes: the checksum and the size of the content, both modulo 2³². */
export function gzipTrailer(crc32: number, size: number): Uint8Array {
  const trailer = new DataView(new ArrayBuffer(GZIP_TRAILER_BYTES))
  trailer.setUint32(0, crc32, true)
  trailer.setUint32(4, size % 2 ** 32, true)
  return new Uint8Array(trailer.buffer)
}
