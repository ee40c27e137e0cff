import type { Db } from '../../../db/client.ts'
import { BoundedCache } from '../../../lib/bounded-cache.ts'
import { isSliceOver, nextSlice } from '../../../lib/loop-slices.ts'
import { Bitset } from './bitset.ts'
import { readPostings } from './index-queries.ts'
import { addPositions } from './positions.ts'

/** A set for 100,000 documents takes 12 KB. */
const MAX_BYTES = 8 * 1024 ** 2
const WORD_BYTES = 8
const POSTINGS_PER_CHECK = 64

interface CachedSet {
  wordIds: readonly number[]
  /** The documents that have any of the words. */
  found: Bitset
}

/** The word ids of a document after a change; empty when it was removed. */
export interface ChangedWords {
  id: number
  wordIds: readonly number[]
}

/** Posting lists, read from Postgres once and then updated with each changed document. */
export class Postings {
  private readonly sets = new BoundedCache<CachedSet>({
    maxBytes: MAX_BYTES,
    bytesOf: ({ wordIds, found }) => found.bytes + wordIds.length * WORD_BYTES,
  })
  /** Increases with every change. */
  private changes = 0

  constructor(private readonly db: Db) {}

  /** Returns the documents that have any of these words. The set is shared and must not be modified. */
  async find(key: string, wordIds: readonly number[]): Promise<Bitset> {
    const cached = this.sets.get(key)
    // New words may have joined a prefix, or the words within a few typos.
    if (cached && Bun.deepEquals(cached.wordIds, wordIds)) return cached.found
    const before = this.changes
    const found = await read(this.db, wordIds)
    // After a change during the read it may lack that change.
    if (before === this.changes) this.sets.set(key, { wordIds, found })
    return found
  }

  apply(documents: readonly ChangedWords[]): void {
    if (documents.length === 0) return
    this.changes += 1
    const sets = [...this.sets.values()]
    const setsByWord = Map.groupBy(
      sets.flatMap(({ wordIds, found }) => wordIds.map((wordId) => ({ wordId, found }))),
      ({ wordId }) => wordId,
    )
    for (const { id, wordIds } of documents) {
      for (const { found } of sets) found.delete(id)
      for (const wordId of wordIds) for (const { found } of setsByWord.get(wordId) ?? []) found.add(id)
    }
  }
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
