import { promisify } from 'node:util'
import { constants, deflateRaw, deflateRawSync } from 'node:zlib'

import type { FilePart } from './read-blocks.ts'

const deflate = promisify<Uint8Array, object, Buffer>(deflateRaw)

const LEVEL = 6
/** Smaller than the default: shorter Huffman blocks fit programs better. */
const MEMORY_LEVEL = 7
/** Room for bytes that do not shrink. */
const OUTPUT_EXCESS = 64 * 1024
const SAMPLES = 4
const SAMPLE_SIZE = 2 * 1024
/** Always tried: samples of less say too little. */
const TRIED_MAX = 32 * 1024
/** Blocks whose sample shrinks less are not compressed. */
const WORTHWHILE = 0.99
const STORED_MAX = 2 ** 16 - 1

/**
 * Compresses one block in a thread of the runtime's pool. Each can be unpacked on its own, because none refers to the
 * one before it; the results of all blocks of a file, one after the other, are one deflate stream.
 */
export async function compressBlock({ bytes, isLast }: FilePart): Promise<Buffer> {
  if (!isCompressible(bytes)) return storeBlock(bytes, isLast)
  return await deflate(bytes, {
    level: LEVEL,
    memLevel: MEMORY_LEVEL,
    chunkSize: Math.max(256, Math.min(bytes.length * 2, bytes.length + OUTPUT_EXCESS)),
    finishFlush: isLast ? constants.Z_FINISH : constants.Z_SYNC_FLUSH,
  })
}

/** Judged by samples: textures and sound are compressed already, and trying costs most of the time. */
function isCompressible(bytes: Buffer): boolean {
  if (bytes.length <= TRIED_MAX) return true
  const step = Math.floor((bytes.length - SAMPLE_SIZE) / (SAMPLES - 1))
  const sample = Buffer.concat(
    Array.from({ length: SAMPLES }, (_, index) => bytes.subarray(index * step, index * step + SAMPLE_SIZE)),
  )
  return deflateRawSync(sample, { level: 1 }).length < sample.length * WORTHWHILE
}

/** Deflate's own form for bytes that are not compressed. */
function storeBlock(bytes: Buffer, isLast: boolean): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; at < bytes.length; at += STORED_MAX) {
    const part = bytes.subarray(at, at + STORED_MAX)
    const header = Buffer.alloc(5)
    header.writeUInt8(isLast && at + STORED_MAX >= bytes.length ? 1 : 0, 0)
    header.writeUInt16LE(part.length, 1)
    header.writeUInt16LE(~part.length & 0xffff, 3)
    parts.push(header, part)
  }
  return Buffer.concat(parts)
}
