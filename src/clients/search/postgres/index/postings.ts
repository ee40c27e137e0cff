import type { Db } from '../../../../db/client.ts'
import { BoundedCache } from '../../../../lib/cache/bounded-cache.ts'
import { isSliceOver, nextSlice } from '../../../../lib/flow/loop-slices.ts'
import { loadPostings } from '../write/index-queries.ts'
import { Bitset } from './bitset.ts'
import { addPositions, BLOCK_SIZE } from './positions.ts'

/** A set for a million documents takes 125 KB. */
const MAX_BYTES = 24 * 1024 ** 2
const POSTINGS_PER_CHECK = 64
const DOCUMENTS_PER_CHECK = 16

interface CachedSet {
  /** In ascending order. */
  wordIds: Int32Array
  /** The documents that have any of the words. */
  found: Bitset
}

/** The word ids of a document after a change, in ascending order; empty when it was removed. */
export interface ChangedWords {
  id: number
  wordIds: readonly number[]
}

/** Posting lists, read from Postgres once and then updated with each changed document. */
export class Postings {
  private readonly sets = new BoundedCache<CachedSet>({
    maxBytes: MAX_BYTES,
    bytesOf: ({ wordIds, found }) => found.bytes + wordIds.byteLength,
  })
  /** Increases with every change. */
  private changes = 0

  constructor(private readonly db: Db) {}

  /** Returns the documents that have any of these words. The set is shared and must not be modified. */
  async find(wordIds: readonly number[]): Promise<Bitset> {
    const sorted = Int32Array.from(wordIds).sort()
    // Words, prefixes and typos often lead to the same list.
    const key = String(Bun.hash(sorted))
    const cached = this.sets.get(key)
    if (cached && isSame(cached.wordIds, sorted)) return cached.found
    const before = this.changes
    const found = await read(this.db, wordIds)
    // After a change during the read it may lack that change.
    if (before === this.changes) this.sets.set(key, { wordIds: sorted, found })
    return found
  }

  async apply(documents: readonly ChangedWords[]): Promise<void> {
    this.changes += 1
    const sets = [...this.sets.values()]
    for (const [index, { id, wordIds }] of documents.entries()) {
      if (index % DOCUMENTS_PER_CHECK === 0 && isSliceOver()) await nextSlice()
      for (const set of sets) {
        if (sharesAny(wordIds, set.wordIds)) set.found.add(id)
        else set.found.delete(id)
      }
    }
  }

  /** Makes every posting list be read again. */
  clear(): void {
    this.changes += 1
    this.sets.clear()
  }
}

function isSame(left: Int32Array, right: Int32Array): boolean {
  return left.length === right.length && left.every((number, index) => number === right[index])
}

/** Whether two sorted lists have a number in common. */
function sharesAny(left: ArrayLike<number>, right: ArrayLike<number>): boolean {
  const [short, long] = left.length < right.length ? [left, right] : [right, left]
  let from = 0
  for (let index = 0; index < short.length; index += 1) {
    const wanted = short[index] ?? 0
    let high = long.length
    while (from < high) {
      const middle = (from + high) >>> 1
      if ((long[middle] ?? 0) < wanted) from = middle + 1
      else high = middle
    }
    if (long[from] === wanted) return true
  }
  return false
}

async function read(db: Db, wordIds: readonly number[]): Promise<Bitset> {
  if (wordIds.length === 0) return new Bitset()
  const bytes = await loadPostings(db, wordIds)
  const found = new Bitset(new Int32Array(findBlocks(bytes) * (BLOCK_SIZE / 32)))
  for (let offset = 0, count = 1; offset < bytes.length; count += 1) {
    if (count % POSTINGS_PER_CHECK === 0 && isSliceOver()) await nextSlice()
    const [block, length] = [bytes.readInt32BE(offset), bytes.readInt32BE(offset + 4)]
    addPositions(found, block, bytes.subarray(offset + 8, offset + 8 + length))
    offset += 8 + length
  }
  return found
}

/** The highest block plus one: a set that grows block by block would be copied many times. */
function findBlocks(bytes: Buffer): number {
  let blocks = 0
  for (let offset = 0; offset < bytes.length; offset += 8 + bytes.readInt32BE(offset + 4)) {
    blocks = Math.max(blocks, bytes.readInt32BE(offset) + 1)
  }
  return blocks
}
