import type { Bitset } from './bitset.ts'

/** Documents are grouped into blocks; a posting lists the documents of one block that contain a word. */
export const BLOCK_SIZE = 4096
const BITMAP_BYTES = BLOCK_SIZE / 8

export function blockOf(id: number): number {
  return Math.floor(id / BLOCK_SIZE)
}

/** A bitmap with one bit per document of a block. */
export function emptyBitmap(): Uint8Array {
  return new Uint8Array(BITMAP_BYTES)
}

export function decodePositions(bytes: Uint8Array): Uint8Array {
  if (bytes.length === BITMAP_BYTES) return bytes
  const bitmap = emptyBitmap()
  for (let index = 0; index < bytes.length; index += 2) {
    setPosition(bitmap, (bytes[index] ?? 0) | ((bytes[index + 1] ?? 0) << 8))
  }
  return bitmap
}

/** Encodes few positions as a list of two bytes each, many as the bitmap, and none as empty. */
export function encodePositions(bitmap: Uint8Array): Uint8Array {
  const list = new Uint8Array(BITMAP_BYTES)
  let length = 0
  for (let index = 0; index < BITMAP_BYTES; index += 1) {
    for (let bits = bitmap[index] ?? 0; bits !== 0; bits &= bits - 1) {
      const position = index * 8 + 31 - Math.clz32(bits & -bits)
      list[length] = position & 255
      list[length + 1] = position >> 8
      length += 2
      if (length === BITMAP_BYTES) return bitmap
    }
  }
  return list.subarray(0, length)
}

/** Adds the documents of a posting to the set. */
export function addPositions(into: Bitset, block: number, bytes: Uint8Array): void {
  const bitmap = decodePositions(bytes)
  const view = new DataView(bitmap.buffer, bitmap.byteOffset, bitmap.byteLength)
  for (let offset = 0; offset < BITMAP_BYTES; offset += 4) {
    const word = view.getUint32(offset, true)
    if (word !== 0) into.addWord((block * BLOCK_SIZE + offset * 8) >>> 5, word)
  }
}

export function setPosition(bitmap: Uint8Array, position: number): void {
  const index = position >> 3
  bitmap[index] = (bitmap[index] ?? 0) | (1 << (position & 7))
}
