import { open } from 'node:fs/promises'
import { promisify } from 'node:util'
import { constants, deflateRaw, deflateRawSync } from 'node:zlib'

import { createCollector } from '../../lib/flow/buffer-memory.ts'
import { isSliceOver, nextSlice } from '../../lib/flow/loop-slices.ts'
import type { PackFile } from './list-files.ts'
import { type FilePart, readBlocks } from './read-blocks.ts'
import { type PackedEntry, type SpoolEntry, ZipSpool } from './zip-spool.ts'

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
async function compressBlock({ bytes, isLast }: FilePart): Promise<Buffer> {
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

interface PackedZip {
  size: number
  checksum: string
  entries: PackedEntry[]
}

interface PackOptions {
  /** Whether to find the SHA-256 of every file, for a list of files; those of small files are always found. */
  hashesWhole?: boolean
  signal: AbortSignal
  /** Called with the number of unpacked bytes that were added. */
  onBytes: (count: number) => void
}

/** Blocks in memory, each with its packed bytes; enough for all cores of most machines. */
const IN_FLIGHT_MAX = 32
const IN_FLIGHT_BYTES_MAX = 32 * 1024 ** 2
const NOTHING = Buffer.alloc(0)

interface InFlight {
  /** Set for the first block of a file. */
  file: PackFile | null
  raw: Buffer
  isLast: boolean
  packed: Promise<Buffer>
}

/** Packs the files into a zip: the same files give the same bytes. */
export async function packFiles(
  files: readonly PackFile[],
  target: string,
  { hashesWhole = false, signal, onBytes }: PackOptions,
): Promise<PackedZip> {
  await using handle = await open(target, 'w+', 0o600)
  const spool = new ZipSpool(handle, hashesWhole)
  const inFlight: InFlight[] = []
  let inFlightBytes = 0
  const collect = createCollector()
  let entry: SpoolEntry | null = null

  async function writeNext(): Promise<void> {
    const next = inFlight.shift()
    if (!next) return
    const packed = await next.packed
    inFlightBytes -= next.raw.length
    if (next.file) entry = spool.open(next.file)
    if (entry) await spool.append(entry, packed, next.raw, next.isLast)
    onBytes(next.raw.length)
    collect(next.raw.length)
  }

  for (const file of files) {
    let first: PackFile | null = file
    for (const block of file.isFolder ? [EMPTY] : readBlocks(file)) {
      if (isSliceOver()) await nextSlice()
      signal.throwIfAborted()
      inFlight.push({ file: first, raw: block.bytes, isLast: block.isLast, packed: start(block) })
      inFlightBytes += block.bytes.length
      first = null
      while (inFlight.length >= IN_FLIGHT_MAX || inFlightBytes >= IN_FLIGHT_BYTES_MAX) await writeNext()
    }
  }
  while (inFlight.length > 0) await writeNext()
  return { ...(await spool.end()), entries: spool.entries }
}

const EMPTY: FilePart = { bytes: NOTHING, isLast: true }

function start(block: FilePart): Promise<Buffer> {
  const packed = block.bytes.length === 0 ? Promise.resolve(NOTHING) : compressBlock(block)
  // Awaited in its turn; until then a failure must not end the program.
  packed.catch(() => undefined)
  return packed
}
