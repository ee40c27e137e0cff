import { isSliceOver, nextSlice } from '../../../../lib/flow/loop-slices.ts'
import type { WordList } from './word-list.ts'

export interface NearWord {
  word: string
  maxEdits: number
  /** Whether matching a prefix of the other word is enough. */
  asPrefix: boolean
}

/** How much work one search may spend on typos, in letters compared. */
export interface TypoBudget {
  steps: number
}

const WORDS_PER_CHECK = 256

/**
 * Visits the words within a few edits: an inserted, deleted or replaced letter, or two neighbours swapped.
 * Words with a common prefix share rows of the distance table, and prefixes that are too far off are skipped
 * with all their words. Returns false if the budget ran out first.
 */
export async function findNear(
  { words, ids, common }: WordList,
  wanted: NearWord,
  budget: TypoBudget,
  visit: (id: number, word: string, edits: number) => void,
): Promise<boolean> {
  const { maxEdits, asPrefix } = wanted
  const table = new DistanceTable(wanted)
  const report = (index: number, edits: number) => visit(ids[index] ?? 0, words[index] ?? '', edits)
  let known = 0
  for (let index = 0, count = 1; index < words.length; count += 1) {
    if (count % WORDS_PER_CHECK === 0 && isSliceOver()) await nextSlice()
    if (budget.steps <= 0) return false
    const word = words[index] ?? ''
    let depth = Math.min(known, common[index] ?? 0)
    let end = index + 1
    for (;;) {
      const [reached, best] = [table.reachedAt(depth), table.bestAt(depth)]
      const isSettled = asPrefix && best <= maxEdits && reached >= best
      const isHopeless = reached > maxEdits && !(asPrefix && best <= maxEdits)
      if (depth > 0 && (isHopeless || isSettled)) {
        while ((common[end] ?? 0) >= depth) end += 1
        if (isSettled) for (let found = index; found < end; found += 1) report(found, best)
        break
      }
      if (depth === word.length) {
        const edits = asPrefix ? best : table.distanceAt(depth)
        if (edits <= maxEdits) report(index, edits)
        break
      }
      depth += 1
      budget.steps -= 1
      table.extend(word, depth)
    }
    known = depth
    index = end
  }
  return true
}

/** Each row holds the edit distances from a prefix of the current word to all prefixes of the wanted one. */
class DistanceTable {
  private readonly wanted: Uint16Array
  private readonly maxEdits: number
  private readonly width: number
  private readonly deepest: number
  private readonly cells: Uint8Array
  /** The minimum of each row: a lower bound for every longer word. */
  private readonly reached: Uint8Array
  /** The fewest edits to the whole wanted word from this prefix or a shorter one. */
  private readonly best: Uint8Array

  constructor({ word, maxEdits }: NearWord) {
    this.wanted = Uint16Array.from({ length: word.length }, (_, index) => word.charCodeAt(index))
    this.maxEdits = maxEdits
    this.width = word.length + 1
    // A longer prefix is always too far off.
    this.deepest = word.length + maxEdits + 1
    this.cells = new Uint8Array(this.width * (this.deepest + 1)).fill(maxEdits + 1)
    for (let column = 0; column < this.width; column += 1) this.cells[column] = column
    this.reached = new Uint8Array(this.deepest + 1)
    this.best = new Uint8Array(this.deepest + 1)
    this.best[0] = word.length
  }

  reachedAt(depth: number): number {
    return this.reached[depth] ?? 0
  }

  bestAt(depth: number): number {
    return this.best[depth] ?? 0
  }

  distanceAt(depth: number): number {
    return this.cells[depth * this.width + this.width - 1] ?? 0
  }

  extend(word: string, depth: number): void {
    const { wanted, maxEdits, width, cells } = this
    const row = depth * width
    const [above, twoAbove] = [row - width, row - 2 * width]
    const letter = word.charCodeAt(depth - 1)
    const letterBefore = depth > 1 ? word.charCodeAt(depth - 2) : -1
    // Cells far from the diagonal always exceed the maximum.
    const from = Math.max(1, depth - maxEdits - 1)
    const to = Math.min(width - 1, depth + maxEdits + 1)
    let reached = Math.min(depth, maxEdits + 1)
    cells[row] = reached
    for (let column = from; column <= to; column += 1) {
      const isSame = letter === wanted[column - 1]
      let edits = (cells[above + column - 1] ?? 0) + (isSame ? 0 : 1)
      edits = Math.min(edits, (cells[above + column] ?? 0) + 1, (cells[row + column - 1] ?? 0) + 1)
      if (column > 1 && letter === wanted[column - 2] && letterBefore === wanted[column - 1])
        edits = Math.min(edits, (cells[twoAbove + column - 2] ?? 0) + 1)
      cells[row + column] = edits
      if (edits < reached) reached = edits
    }
    this.reached[depth] = reached
    this.best[depth] = Math.min(this.best[depth - 1] ?? 0, cells[row + width - 1] ?? 0)
  }
}
