import type { DatabaseHandle } from '../../../db/client.ts'
import { Bitset } from './bitset.ts'
import { readPostings } from './index-queries.ts'
import { keepWhenDone, Kept } from './kept.ts'
import type { LiveIndex } from './live-index.ts'
import { addPlaces } from './places.ts'
import type { FindPostings } from './text-match.ts'

/** A bit a document each: with 100,000 of them 3 MB. */
const KEPT_SETS = 250

/** Who has a word is kept until something changes: the pages and filters of one search ask for the same. */
export function createPostingFinder(database: DatabaseHandle, live: LiveIndex): FindPostings {
  const kept = new Kept<Promise<Bitset>>(KEPT_SETS)
  return (key, wordIds) => {
    return keepWhenDone(kept, live.generation, key, () => read(database, wordIds))
  }
}

async function read(database: DatabaseHandle, wordIds: readonly number[]): Promise<Bitset> {
  const found = new Bitset()
  if (wordIds.length === 0) return found
  const bytes = await readPostings(database, wordIds)
  for (let offset = 0; offset < bytes.length;) {
    const [block, length] = [bytes.readInt32BE(offset), bytes.readInt32BE(offset + 4)]
    addPlaces(found, block, bytes.subarray(offset + 8, offset + 8 + length))
    offset += 8 + length
  }
  return found
}
