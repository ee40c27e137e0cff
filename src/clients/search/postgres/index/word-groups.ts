import type { PreparedDocuments } from '../write/prepare-documents.ts'

/** The documents of a batch by word, in ascending order of both: those of each word end at its entry in `ends`. */
export interface WordGroups {
  wordIds: Int32Array
  ends: Int32Array
  documents: Int32Array
}

/** `ids` has the word id of each term. Counts and distributes, because sorting every document takes longer. */
export function groupByWord(
  { terms, termsOfDocuments, ends: documentEnds }: PreparedDocuments,
  ids: readonly number[],
): WordGroups {
  const order = Array.from(terms.keys()).sort((left, right) => (ids[left] ?? 0) - (ids[right] ?? 0))
  const counts = new Int32Array(terms.length)
  for (let index = 0; index < termsOfDocuments.length; index += 1) {
    const term = termsOfDocuments[index] ?? 0
    counts[term] = (counts[term] ?? 0) + 1
  }
  /** Where the next document of each term belongs. */
  const next = new Int32Array(terms.length)
  const ends = new Int32Array(terms.length)
  let total = 0
  for (const [rank, term] of order.entries()) {
    next[term] = total
    total += counts[term] ?? 0
    ends[rank] = total
  }
  const documents = new Int32Array(total)
  let index = 0
  for (const [document, end] of documentEnds.entries()) {
    for (; index < end; index += 1) {
      const term = termsOfDocuments[index] ?? 0
      const at = next[term] ?? 0
      documents[at] = document
      next[term] = at + 1
    }
  }
  return { wordIds: Int32Array.from(order, (term) => ids[term] ?? 0), ends, documents }
}

/** The word ids of each document, ascending. */
export function listWordIds(
  { wordIds, ends, documents }: WordGroups,
  { ends: documentEnds }: PreparedDocuments,
): Int32Array[] {
  const sorted = new Int32Array(documents.length)
  const next = Int32Array.from(documentEnds, (_, document) => documentEnds[document - 1] ?? 0)
  let index = 0
  for (const [rank, end] of ends.entries()) {
    const wordId = wordIds[rank] ?? 0
    for (; index < end; index += 1) {
      const document = documents[index] ?? 0
      const at = next[document] ?? 0
      sorted[at] = wordId
      next[document] = at + 1
    }
  }
  return Array.from(documentEnds, (end, document) => sorted.subarray(documentEnds[document - 1] ?? 0, end))
}
