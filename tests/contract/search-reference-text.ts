import type { SearchDocument } from '../../src/domain/listings/search-document.ts'

export type Fits = (word: string) => boolean

/** Typos only count where fewer listings than this have the words as they were typed. */
export const ENOUGH = 20

/** Which documents have every word, for texts of plain lower-case words with one space between them. */
export function expectText(
  documents: readonly SearchDocument[],
  text: string,
): (document: SearchDocument) => boolean {
  const asked = text.split(' ')
  const exactly = asked.map((wanted, index): Fits =>
    index === asked.length - 1 ? (word) => word.startsWith(wanted) : (word) => word === wanted,
  )
  const found = documents.filter((document) => hasAll(document, exactly))
  if (found.length >= ENOUGH) return (document) => hasAll(document, exactly)
  const loosely = asked.map((wanted, index): Fits => {
    const typos = wanted.length >= 8 ? 2 : wanted.length >= 5 ? 1 : 0
    const isLast = index === asked.length - 1
    return remember((word) => (exactly[index]?.(word) ?? false) || editsOf(word, wanted, isLast) <= typos)
  })
  return (document) => hasAll(document, loosely)
}

const known = new Map<SearchDocument, readonly string[]>()

function hasAll(document: SearchDocument, fits: readonly Fits[]): boolean {
  const { name, tagline, description } = document
  const words = known.get(document) ?? [...new Set(`${name} ${tagline} ${description}`.split(' '))]
  known.set(document, words)
  return fits.every((fit) => words.some(fit))
}

/** Letters to add, drop or change and neighbours to swap; for a beginning, the best of all beginnings. */
export function editsOf(word: string, wanted: string, isBeginning: boolean): number {
  const rows = [Array.from({ length: wanted.length + 1 }, (_, column) => column)]
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY
  for (let row = 1; row <= word.length; row += 1) {
    rows.push([row])
    for (let column = 1; column <= wanted.length; column += 1) {
      const isSame = word[row - 1] === wanted[column - 1]
      const isSwapped = word[row - 1] === wanted[column - 2] && word[row - 2] === wanted[column - 1]
      rows[row]?.push(
        Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          at(row - 1, column - 1) + (isSame ? 0 : 1),
          isSwapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
  }
  const last = rows.map((_, row) => at(row, wanted.length))
  return isBeginning ? Math.min(...last) : (last.at(-1) ?? 0)
}

export function remember(fits: Fits): Fits {
  const answers = new Map<string, boolean>()
  return (word) => {
    const answer = answers.get(word) ?? fits(word)
    answers.set(word, answer)
    return answer
  }
}
