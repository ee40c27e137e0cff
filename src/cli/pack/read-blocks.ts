import { type BigIntStats, closeSync, fstatSync, openSync, readSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'

import { CliError, codeOf } from '../cli-error.ts'
import type { PackFile } from './list-files.ts'

const KIB = 1024
const GIB = 1024 ** 3
/** Files up to this size are one block. */
export const SINGLE_BLOCK_MAX = 256 * KIB
const AVERAGE_MIN = 128 * KIB
/**
 * Larger files have larger blocks, because the list of an entry's blocks has to fit into its field of the directory. Not a
 * round number: a file that grows beyond the limit has other blocks, and many are made to be just 1 GB large.
 */
const AVERAGE_MIN_UP_TO = 1.0625 * GIB
const AVERAGE_MAX = 4 * 1024 * KIB

/** The sizes of the blocks of one file. */
interface BlockSizes {
  min: number
  average: number
  max: number
}

export function blockSizesFor(fileSize: number): BlockSizes {
  let average = AVERAGE_MIN
  for (let size = AVERAGE_MIN_UP_TO; size < fileSize && average < AVERAGE_MAX; size *= 2) average *= 2
  return { min: average / 4, average, max: average * 2 }
}

/** How much rarer cuts are before the average size, and more frequent after it: sizes vary less. */
const NORMALISATION = 4
const SIGN = -(2 ** 31)
const RANDOM = createRandomNumbers()

/**
 * Returns where the block that begins at `start` ends: after bytes whose rolling hash is small. So the blocks after an
 * insertion end at the same content as before (FastCDC). `end` must be the end of the file or `max` bytes away.
 */
export function findCut(
  bytes: Uint8Array,
  start: number,
  end: number,
  { min, average, max }: BlockSizes,
): number {
  const stop = Math.min(end, start + max)
  const middle = Math.min(stop, start + average)
  // The hash is compared as if it had no sign.
  const rare = Math.floor(2 ** 32 / (average * NORMALISATION)) + SIGN
  const frequent = Math.floor((2 ** 32 * NORMALISATION) / average) + SIGN
  let hash = 0
  let at = start + min
  for (; at < middle; at += 1) {
    hash = ((hash << 1) + (RANDOM[bytes[at] ?? 0] ?? 0)) | 0
    if ((hash ^ SIGN) < rare) return at + 1
  }
  for (; at < stop; at += 1) {
    hash = ((hash << 1) + (RANDOM[bytes[at] ?? 0] ?? 0)) | 0
    if ((hash ^ SIGN) < frequent) return at + 1
  }
  return stop
}

/**
 * One number for each value of a byte (xorshift by Marsaglia). They decide where blocks end, so they must not
 * change.
 */
function createRandomNumbers(): Int32Array {
  let state = 0x9e37_79b9
  return Int32Array.from({ length: 256 }, () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state
  })
}

/** A part of a file, in the order of the file. */
export interface FilePart {
  bytes: Buffer
  isLast: boolean
}

const PIECE_SIZE = 2 * 1024 ** 2
const NOTHING: Buffer = Buffer.alloc(0)

/**
 * Reads a file in blocks that end where its content says. Throws if it is not the file that was listed. Reads at once:
 * in the runtime's pool it would wait behind the blocks that are compressed there.
 */
export function* readBlocks(file: PackFile): Generator<FilePart, void> {
  if (file.size <= SINGLE_BLOCK_MAX) {
    yield* readPieces(file)
    return
  }
  const sizes = blockSizesFor(file.size)
  let rest = NOTHING
  for (const { bytes, isLast } of readPieces(file, Math.max(PIECE_SIZE, sizes.max), () => rest)) {
    let start = 0
    // Before the last piece, a block of the largest size must fit: more bytes could move its end.
    while (isLast ? start < bytes.length : bytes.length - start >= sizes.max) {
      const end = findCut(bytes, start, bytes.length, sizes)
      yield { bytes: bytes.subarray(start, end), isLast: isLast && end === bytes.length }
      start = end
    }
    rest = bytes.subarray(start)
  }
}

/**
 * Reads a file in pieces of one size, each after what `readRest` returns of the piece before it; an empty file as a single
 * piece. Throws if the file changes meanwhile.
 */
export function* readPieces(
  file: PackFile,
  pieceSize = PIECE_SIZE,
  readRest = () => NOTHING,
): Generator<FilePart, void> {
  using opened = openFile(file)
  let at = 0
  do {
    const rest = readRest()
    const size = Math.min(pieceSize, file.size - at)
    const bytes = Buffer.allocUnsafeSlow(rest.length + size)
    rest.copy(bytes)
    fill(opened.descriptor, bytes.subarray(rest.length), at, file)
    at += size
    const isLast = at === file.size
    if (isLast) compare(fstatSync(opened.descriptor, { bigint: true }), file)
    yield { bytes, isLast }
  } while (at < file.size)
}

/** Call after the last byte was read, so that no change in between goes unnoticed. */
export async function requireUnchanged(handle: FileHandle, file: PackFile): Promise<void> {
  compare(await handle.stat({ bigint: true }), file)
}

function compare({ size, mtimeNs }: BigIntStats, file: PackFile): void {
  if (Number(size) !== file.size || mtimeNs !== file.modifiedAt) throw changed(file, 'changed')
}

function openFile(file: PackFile): Disposable & { descriptor: number } {
  try {
    const descriptor = openSync(file.source, 'r')
    return { descriptor, [Symbol.dispose]: () => closeSync(descriptor) }
  } catch (error) {
    throw codeOf(error) === 'ENOENT' ? changed(file, 'was removed') : error
  }
}

function fill(descriptor: number, bytes: Buffer, position: number, file: PackFile): void {
  for (let filled = 0; filled < bytes.length;) {
    const count = readSync(descriptor, bytes, filled, bytes.length - filled, position + filled)
    if (count === 0) throw changed(file, 'became shorter')
    filled += count
  }
}

export function changed({ path }: PackFile, what: string): CliError {
  return new CliError('files', `${path} ${what} while it was read.`, {
    hint: 'Wait until your build has finished, then run the command again.',
  })
}
