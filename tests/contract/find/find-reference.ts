import { NAMED_FIELDS, wordsOfValue } from '../../../src/domain/listings/everyday-words.ts'
import type { SearchDocument } from '../../../src/domain/listings/search-document.ts'
import { editsOf, ENOUGH, type Fits, remember } from '../search-reference-text.ts'

/** Which documents a person finds with plain lower-case words of which none has another spelling. */
export function expectFind(
  documents: readonly SearchDocument[],
  text: string,
): (document: SearchDocument) => boolean {
  const asked = text.split(' ')
  const exactly = asked.map((wanted, index): Fits =>
    index === asked.length - 1 ? (word) => word.startsWith(wanted) : (word) => word === wanted,
  )
  const hasAll = (fits: readonly Fits[]) => (document: SearchDocument) => {
    const words = wordsIn(document)
    return fits.every((fit) => words.some(fit))
  }
  if (documents.filter(hasAll(exactly)).length >= ENOUGH) return hasAll(exactly)
  const loosely = asked.map((wanted, index): Fits => {
    const typos = wanted.length >= 8 ? 2 : wanted.length >= 5 ? 1 : 0
    const isLast = index === asked.length - 1
    return remember((word) => (exactly[index]?.(word) ?? false) || editsOf(word, wanted, isLast) <= typos)
  })
  return hasAll(loosely)
}

const known = new Map<SearchDocument, readonly string[]>()

/** Every word that stands on a listing anywhere. */
function wordsIn(document: SearchDocument): readonly string[] {
  const words = known.get(document) ?? [...new Set(listWords(document))]
  known.set(document, words)
  return words
}

function listWords(document: SearchDocument): string[] {
  const { name, tagline, description, post_titles: titles, developer, developer_name } = document
  const texts = [name, tagline, description, ...titles, developer, developer_name ?? '']
    .join(' ')
    .split(/[ -]/)
  const values = NAMED_FIELDS.flatMap((field) =>
    [document[field] ?? []].flat().flatMap((value) => wordsOfValue(field, value)),
  )
  return [...texts, ...values, developer.replaceAll('-', '')]
}
