import { open } from 'node:fs/promises'

import { createCollector } from '../../lib/flow/collect-garbage.ts'
import { isSliceOver, nextSlice } from '../../lib/flow/loop-slices.ts'
import { compressBlock } from './compress.ts'
import type { PackFile } from './list-files.ts'
import { type FilePart, readBlocks } from './read-blocks.ts'
import { type PackedEntry, type SpoolEntry, ZipSpool } from './zip-spool.ts'

export interface PackedZip {
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
