import type { Transaction } from '../../../db/client.ts'
import { BLOCK_SIZE, blockOf, decodePositions, encodePositions, setPosition } from './positions.ts'
import type { PreparedDocuments } from './prepare-documents.ts'
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

/** Ids of documents, within their block. */
interface Touched extends PostingKey {
  joined: number[]
  left: number[]
}

const ROWS_AT_ONCE = 5000
const BLOCKS_MAX = 2 ** 20

/** Updates only the postings of words that were added or removed. Returns the words that lost a posting. */
export async function writePositions(
  tx: Transaction,
  written: readonly WordChange[],
  prepared: PreparedDocuments,
  ids: readonly number[],
): Promise<number[]> {
  const touched = collect(written, prepared, ids)
  const ended = new Set<number>()
  for (let start = 0; start < touched.length; start += ROWS_AT_ONCE) {
    const part = touched.slice(start, start + ROWS_AT_ONCE)
    const rows = await listPostings(tx, part)
    const known = new Map(rows.map((row) => [keyOf(row.wordId, row.block), row.places]))
    const updated = part.map((posting) => apply(posting, known.get(keyOf(posting.wordId, posting.block))))
    const [full, empty] = [updated.filter(hasPlaces), updated.filter((row) => !hasPlaces(row))]
    await writePostings(tx, full)
    await deletePostings(tx, empty)
    for (const { wordId } of empty) ended.add(wordId)
  }
  return [...ended]
}

function collect(
  written: readonly WordChange[],
  { documentsOf }: PreparedDocuments,
  ids: readonly number[],
): Touched[] {
  const postings = new Map<number, Touched>()
  const postingOf = (wordId: number, block: number): Touched => {
    const key = keyOf(wordId, block)
    const known = postings.get(key) ?? { wordId, block, joined: [], left: [] }
    postings.set(key, known)
    return known
  }
  const byIndex: { id: number; before: Set<number> | null }[] = []
  for (const { index, id, before } of written) {
    byIndex[index] = { id, before: before.length > 0 ? new Set(before) : null }
  }
  for (const [term, documents] of documentsOf.entries()) {
    const wordId = ids[term] ?? 0
    let posting: Touched | undefined
    for (const index of documents) {
      const document = byIndex[index]
      // What remains in `before` are the words that it no longer has.
      if (!document || document.before?.delete(wordId)) continue
      const block = blockOf(document.id)
      if (posting?.block !== block) posting = postingOf(wordId, block)
      posting.joined.push(document.id % BLOCK_SIZE)
    }
  }
  for (const { index, id } of written) {
    for (const wordId of byIndex[index]?.before ?? [])
      postingOf(wordId, blockOf(id)).left.push(id % BLOCK_SIZE)
  }
  return [...postings.values()]
}

function apply({ wordId, block, joined, left }: Touched, before: Uint8Array = new Uint8Array()): PostingRow {
  const bitmap = decodePositions(before)
  for (const position of joined) setPosition(bitmap, position, true)
  for (const position of left) setPosition(bitmap, position, false)
  return { wordId, block, places: encodePositions(bitmap) }
}

function hasPlaces({ places }: PostingRow): boolean {
  return places.length > 0
}

function keyOf(wordId: number, block: number): number {
  return wordId * BLOCKS_MAX + block
}
