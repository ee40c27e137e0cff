import type { Transaction } from '../../../../db/client.ts'
import {
  BLOCK_SIZE,
  blockOf,
  decodePositions,
  emptyBitmap,
  encodePositions,
  setPosition,
} from '../index/positions.ts'
import type { WordGroups } from '../index/word-groups.ts'
import {
  deletePostings,
  listPostings,
  type PostingKey,
  type PostingRow,
  writePostings,
} from './write-queries.ts'

/** A document that was written: its index in the batch, and the ids of the words it had before. */
export interface WordChange {
  index: number
  id: number
  before: readonly number[]
}

/** The documents of a block that got a word, and those that lost it, as bitmaps. */
interface Touched extends PostingKey {
  joined: Uint8Array
  left: Uint8Array | null
}

const ROWS_AT_ONCE = 5000
const BLOCKS_MAX = 2 ** 20

/**
 * Updates only the postings of words that were added or removed; there are none in blocks after the last. Returns the
 * words that lost a posting.
 */
export async function writePositions(
  tx: Transaction,
  written: readonly WordChange[],
  words: WordGroups,
  lastBlock: number,
): Promise<number[]> {
  const touched = collect(written, words)
  const ended = new Set<number>()
  for (let start = 0; start < touched.length; start += ROWS_AT_ONCE) {
    const part = touched.slice(start, start + ROWS_AT_ONCE)
    const rows = await listPostings(
      tx,
      part.filter(({ block }) => block <= lastBlock),
    )
    const known = new Map(rows.map((row) => [keyOf(row.wordId, row.block), row.places]))
    const updated = part.map((posting) => apply(posting, known.get(keyOf(posting.wordId, posting.block))))
    const [full, empty] = [updated.filter(hasPlaces), updated.filter((row) => !hasPlaces(row))]
    await writePostings(tx, full)
    await deletePostings(tx, empty)
    for (const { wordId } of empty) ended.add(wordId)
  }
  return [...ended]
}

function collect(written: readonly WordChange[], { wordIds, ends, documents }: WordGroups): Touched[] {
  const postings = new Map<number, Touched>()
  const postingOf = (wordId: number, block: number): Touched => {
    const key = keyOf(wordId, block)
    const known = postings.get(key) ?? { wordId, block, joined: emptyBitmap(), left: null }
    postings.set(key, known)
    return known
  }
  const idsByIndex = new Int32Array(written.reduce((most, { index }) => Math.max(most, index + 1), 0)).fill(
    -1,
  )
  /** The words that documents no longer have, once those they still have are deleted from these sets. */
  const lost = new Map<number, Set<number>>()
  for (const { index, id, before } of written) {
    idsByIndex[index] = id
    if (before.length > 0) lost.set(index, new Set(before))
  }
  let at = 0
  for (const [rank, end] of ends.entries()) {
    const wordId = wordIds[rank] ?? 0
    let posting: Touched | undefined
    for (; at < end; at += 1) {
      const index = documents[at] ?? 0
      const id = idsByIndex[index] ?? -1
      if (id === -1 || (lost.size > 0 && lost.get(index)?.delete(wordId))) continue
      const block = blockOf(id)
      if (posting?.block !== block) posting = postingOf(wordId, block)
      setPosition(posting.joined, id % BLOCK_SIZE)
    }
  }
  for (const { index, id } of written) {
    for (const wordId of lost.get(index) ?? []) {
      const posting = postingOf(wordId, blockOf(id))
      setPosition((posting.left ??= emptyBitmap()), id % BLOCK_SIZE)
    }
  }
  return [...postings.values()]
}

function apply({ wordId, block, joined, left }: Touched, before: Uint8Array | undefined): PostingRow {
  const bitmap = before ? decodePositions(before) : joined
  for (let index = 0; before && index < bitmap.length; index += 1) {
    bitmap[index] = (bitmap[index] ?? 0) | (joined[index] ?? 0)
  }
  for (let index = 0; left && index < bitmap.length; index += 1) {
    bitmap[index] = (bitmap[index] ?? 0) & ~(left[index] ?? 0)
  }
  return { wordId, block, places: encodePositions(bitmap) }
}

function hasPlaces({ places }: PostingRow): boolean {
  return places.length > 0
}

function keyOf(wordId: number, block: number): number {
  return wordId * BLOCKS_MAX + block
}
