import type { Db } from '../../../db/client.ts'
import { isSliceOver, nextSlice } from '../../../lib/loop-slices.ts'
import { Bitset } from './bitset.ts'
import { GenerationCache } from './generation-cache.ts'
import { readPostings } from './index-queries.ts'
import { addPositions } from './positions.ts'
import type { FindPostings } from './text-match.ts'

/** A set for 100,000 documents takes 12 KB. */
const MAX_BYTES = 8 * 1024 ** 2
const POSTINGS_PER_CHECK = 64

/** Posting lists are cached until the index changes, because pages and filters of one search share them. */
export function createPostingFinder(db: Db): (generation: number) => FindPostings {
  const sets = new GenerationCache<Bitset>({ maxBytes: MAX_BYTES, bytesOf: ({ bytes }) => bytes })
  return (generation) => (key, wordIds) => sets.load(generation, key, () => read(db, wordIds))
}

async function read(db: Db, wordIds: readonly number[]): Promise<Bitset> {
  const found = new Bitset()
  if (wordIds.length === 0) return found
  const bytes = await readPostings(db, wordIds)
  for (let offset = 0, count = 1; offset < bytes.length; count += 1) {
    if (count % POSTINGS_PER_CHECK === 0 && isSliceOver()) await nextSlice()
    const [block, length] = [bytes.readInt32BE(offset), bytes.readInt32BE(offset + 4)]
    addPositions(found, block, bytes.subarray(offset + 8, offset + 8 + length))
    offset += 8 + length
  }
  return found
}
