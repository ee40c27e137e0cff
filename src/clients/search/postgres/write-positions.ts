import type { Transaction } from '../../../db/client.ts'
import { listPostings, type PostingRow, writePostings } from './index-queries.ts'
import { BLOCK_SIZE, blockOf, decodePositions, encodePositions, setPosition } from './positions.ts'

/** The word ids a document was and is now listed under, in ascending order. */
export interface PositionChange {
  id: number
  before: readonly number[]
  after: readonly number[]
}

interface Touched {
  wordId: number
  block: number
  joined: number[]
  left: number[]
}

const ROWS_AT_ONCE = 5000
const BLOCKS_MAX = 2 ** 20

/** Updates only the postings of words that were added or removed. Returns the words that lost a posting. */
export async function writePositions(tx: Transaction, changes: readonly PositionChange[]): Promise<number[]> {
  const touched = [...collect(changes).values()]
  const ended = new Set<number>()
  for (let start = 0; start < touched.length; start += ROWS_AT_ONCE) {
    const part = touched.slice(start, start + ROWS_AT_ONCE)
    const rows = await listPostings(tx, part)
    const known = new Map(rows.map((row) => [keyOf(row.wordId, row.block), row.places]))
    const written = part.map((posting) => apply(posting, known.get(keyOf(posting.wordId, posting.block))))
    await writePostings(tx, written)
    for (const { wordId, places } of written) if (places === '') ended.add(wordId)
  }
  return [...ended]
}

function collect(changes: readonly PositionChange[]): Map<number, Touched> {
  const touched = new Map<number, Touched>()
  const postingOf = (wordId: number, id: number): Touched => {
    const block = blockOf(id)
    const key = keyOf(wordId, block)
    const known = touched.get(key) ?? { wordId, block, joined: [], left: [] }
    touched.set(key, known)
    return known
  }
  for (const { id, before, after } of changes) {
    const [had, has] = [new Set(before), new Set(after)]
    for (const wordId of after) if (!had.has(wordId)) postingOf(wordId, id).joined.push(id)
    for (const wordId of before) if (!has.has(wordId)) postingOf(wordId, id).left.push(id)
  }
  return touched
}

function apply({ wordId, block, joined, left }: Touched, before = ''): PostingRow {
  const bitmap = decodePositions(Buffer.from(before, 'hex'))
  for (const id of joined) setPosition(bitmap, id % BLOCK_SIZE, true)
  for (const id of left) setPosition(bitmap, id % BLOCK_SIZE, false)
  return { wordId, block, places: Buffer.from(encodePositions(bitmap)).toString('hex') }
}

function keyOf(wordId: number, block: number): number {
  return wordId * BLOCKS_MAX + block
}
