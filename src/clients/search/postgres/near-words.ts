type Visit = (index: number, edits: number) => void

/**
 * Finds the words of a sorted list that differ from one by few edits: a letter more, less or another one, or two
 * neighbours swapped. With `asPrefix` a beginning of the word is enough. Words with a common beginning share their
 * part of the table of distances, and whole ranges are left out as soon as their beginning is too far off.
 */
export function findNear(
  sorted: readonly string[],
  wanted: string,
  maxEdits: number,
  asPrefix: boolean,
  visit: Visit,
): void {
  const table = new DistanceTable(wanted, maxEdits)
  let index = 0
  while (index < sorted.length) {
    const word = sorted[index] ?? ''
    let depth = table.keepCommon(word)
    let end = index + 1
    for (;;) {
      const { reached, best } = table.at(depth)
      const edits = asPrefix ? best : table.distance(depth)
      const isHopeless = reached > maxEdits && !(asPrefix && best <= maxEdits)
      const isSettled = asPrefix && best <= maxEdits && reached >= best
      if (depth > 0 && (isHopeless || isSettled)) {
        end = skipPrefix(sorted, index, word.slice(0, depth))
        if (isSettled) for (let found = index; found < end; found += 1) visit(found, best)
        break
      }
      if (depth === word.length) {
        if (edits <= maxEdits) visit(index, edits)
        break
      }
      depth += 1
      table.extend(word, depth)
    }
    index = end
  }
}

/** Where the words that begin with the prefix end. */
function skipPrefix(sorted: readonly string[], from: number, prefix: string): number {
  let step = 1
  while (sorted[from + step]?.startsWith(prefix)) step *= 2
  let [low, high] = [from + (step >>> 1), Math.min(from + step, sorted.length)]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (sorted[middle]?.startsWith(prefix)) low = middle + 1
    else high = middle
  }
  return low
}

/** Row by row, the edits between beginnings of the current word and beginnings of the wanted one. */
class DistanceTable {
  private readonly rows: Uint8Array[]
  /** The least of each row: no longer word comes below it. */
  private readonly reached: number[]
  /** The least edits to the whole wanted word from this beginning or a shorter one. */
  private readonly best: number[]
  private path = ''

  constructor(
    private readonly wanted: string,
    private readonly maxEdits: number,
  ) {
    this.rows = [Uint8Array.from({ length: wanted.length + 1 }, (_, column) => column)]
    this.reached = [0]
    this.best = [wanted.length]
  }

  /** How many letters of the word the table already holds. */
  keepCommon(word: string): number {
    let depth = 0
    while (depth < this.path.length && this.path[depth] === word[depth]) depth += 1
    this.path = word.slice(0, depth)
    return depth
  }

  at(depth: number): { reached: number; best: number } {
    return { reached: this.reached[depth] ?? 0, best: this.best[depth] ?? 0 }
  }

  distance(depth: number): number {
    return this.rows[depth]?.[this.wanted.length] ?? 0
  }

  extend(word: string, depth: number): void {
    const { wanted, maxEdits } = this
    const row = (this.rows[depth] ??= new Uint8Array(wanted.length + 1))
    const above = this.rows[depth - 1] ?? row
    const twoAbove = this.rows[depth - 2]
    const letter = word[depth - 1]
    // Far from the diagonal everything is too many edits.
    const [from, to] = [Math.max(1, depth - maxEdits - 1), Math.min(wanted.length, depth + maxEdits + 1)]
    row.fill(maxEdits + 1)
    row[0] = Math.min(depth, maxEdits + 1)
    let reached = row[0]
    for (let column = from; column <= to; column += 1) {
      const isSame = letter === wanted[column - 1]
      let edits = Math.min(
        (above[column - 1] ?? 0) + (isSame ? 0 : 1),
        (above[column] ?? 0) + 1,
        (row[column - 1] ?? 0) + 1,
      )
      const isSwapped = letter === wanted[column - 2] && word[depth - 2] === wanted[column - 1]
      if (twoAbove && isSwapped && column > 1) edits = Math.min(edits, (twoAbove[column - 2] ?? 0) + 1)
      row[column] = edits
      reached = Math.min(reached, edits)
    }
    this.reached[depth] = reached
    this.best[depth] = Math.min(this.best[depth - 1] ?? 0, row[wanted.length] ?? 0)
    this.path = word.slice(0, depth)
  }
}
