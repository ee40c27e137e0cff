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
export interface BlockSizes {
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

/** One for each value of a byte. They are part of the format: other numbers, other blocks (xorshift by Marsaglia). */
function createRandomNumbers(): Int32Array {
  let state = 0x9e37_79b9
  return Int32Array.from({ length: 256 }, () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state
  })
}
