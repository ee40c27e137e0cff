import type { Bitset } from './bitset.ts'
import { countBits } from './common-bits.ts'

/** Counting all words takes less time if more than this share of them is not zero. */
const PACKED_SHARE = 8

/** The non-zero words of a set. */
export interface PackedBits {
  indexes: Int32Array
  words: Int32Array
}

/** For counting against many sets; null unless few words are not zero. */
export function packBits({ raw }: Bitset): PackedBits | null {
  let size = 0
  for (let index = 0; index < raw.length; index += 1) if (raw[index] !== 0) size += 1
  if (size * PACKED_SHARE > raw.length) return null
  const [indexes, words] = [new Int32Array(size), new Int32Array(size)]
  let filled = 0
  for (let index = 0; index < raw.length; index += 1) {
    const word = raw[index] ?? 0
    if (word === 0) continue
    indexes[filled] = index
    words[filled] = word
    filled += 1
  }
  return { indexes, words }
}

/** The size of the intersection. */
export function countPacked({ indexes, words }: PackedBits, { raw }: Bitset): number {
  let total = 0
  for (let index = 0; index < words.length; index += 1) {
    const both = (words[index] ?? 0) & (raw[indexes[index] ?? 0] ?? 0)
    if (both !== 0) total += countBits(both)
  }
  return total
}
