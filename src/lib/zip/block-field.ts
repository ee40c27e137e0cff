import { ByteReader, ByteWriter, MalformedBytes } from '../bytes/varints.ts'

/** A part of an entry whose packed bytes can be unpacked without those before it. */
export interface ZipBlock {
  size: number
  packedSize: number
}

/** The id of the extra field that names an entry's blocks: "SB". It stands in the directory only. */
export const BLOCK_FIELD = 0x4253
const VERSION = 1
/** Added to every number, so that no number is a single byte: "PK", the mark of zip parts, can never appear. */
const OFFSET = 0x80
/** An extra field holds at most 65,535 bytes, of which the 64-bit sizes and the headers of both fields need a part. */
const FIELD_BYTES_MAX = 2 ** 16 - 1 - 64

/** All blocks but the last are at least this large, and all at most that. */
export const BLOCK_SIZE_MIN = 16 * 1024
export const BLOCK_SIZE_MAX = 16 * 1024 ** 2
/** How much larger than its content the packed form of a block may be. */
const PACKED_EXCESS_MAX = 64 * 1024

/**
 * Writes the field's content: a version, then the size and packed size of each block but the last, which has the rest.
 * Null for a single block, and where the field would become too long.
 */
export function encodeBlocks(blocks: readonly ZipBlock[]): Buffer | null {
  if (blocks.length < 2) return null
  const writer = new ByteWriter()
  writer.varint(VERSION)
  for (const { size, packedSize } of blocks.slice(0, -1)) {
    writer.varint(size + OFFSET)
    writer.varint(packedSize + OFFSET)
    if (writer.length > FIELD_BYTES_MAX) return null
  }
  return writer.finish()
}

/** Null if the field does not describe blocks of an entry of this size. Whether they can be unpacked is not checked. */
export function decodeBlocks(field: Uint8Array, { size, packedSize }: ZipBlock): ZipBlock[] | null {
  const blocks: ZipBlock[] = []
  const rest = { size, packedSize }
  try {
    const reader = new ByteReader(field)
    if (reader.varint() !== VERSION) return null
    while (!reader.isAtEnd) {
      const block = { size: reader.varint() - OFFSET, packedSize: reader.varint() - OFFSET }
      if (block.size < BLOCK_SIZE_MIN || !isPossible(block)) return null
      rest.size -= block.size
      rest.packedSize -= block.packedSize
      blocks.push(block)
    }
  } catch (error) {
    if (error instanceof MalformedBytes) return null
    throw error
  }
  return blocks.length > 0 && isPossible(rest) ? [...blocks, rest] : null
}

function isPossible({ size, packedSize }: ZipBlock): boolean {
  return size > 0 && size <= BLOCK_SIZE_MAX && packedSize > 0 && packedSize <= size + PACKED_EXCESS_MAX
}
