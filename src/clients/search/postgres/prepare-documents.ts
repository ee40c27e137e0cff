import { isSliceOver, nextSlice } from '../../../lib/loop-slices.ts'
import { wordsOf } from '../../../lib/search-words.ts'
import type { SearchDocument } from '../search-engine.ts'
import { termsOf } from './vocabulary.ts'

/** A batch of documents with their terms. Both are referred to by their index in the batch. */
export interface PreparedDocuments {
  documents: readonly SearchDocument[]
  /** Each term once. */
  terms: readonly string[]
  /** For each term the documents that have it, ascending. */
  documentsOf: readonly (readonly number[])[]
  /** For each document the terms of the words of its name and tagline, in order. */
  names: readonly (readonly number[])[]
  taglines: readonly (readonly number[])[]
}

/** The part of indexing that needs no database. Yields to the event loop. */
export async function prepareDocuments(documents: readonly SearchDocument[]): Promise<PreparedDocuments> {
  const collector = new TermCollector()
  const [names, taglines]: [number[][], number[][]] = [[], []]
  for (const [index, { name, tagline, description }] of documents.entries()) {
    if (isSliceOver()) await nextSlice()
    names.push(collector.add(index, wordsOf(name)))
    taglines.push(collector.add(index, wordsOf(tagline)))
    collector.add(index, wordsOf(description))
  }
  return { documents, terms: collector.terms, documentsOf: collector.documentsOf, names, taglines }
}

class TermCollector {
  readonly terms: string[] = []
  readonly documentsOf: number[][] = []
  readonly #indexes = new Map<string, number>()
  /** The terms of each word; the first is the word itself. */
  readonly #expanded = new Map<string, readonly number[]>()

  /** Documents must be added in ascending order. Returns the terms of the words themselves. */
  add(document: number, words: readonly string[]): number[] {
    return words.map((word) => {
      const terms = this.#expanded.get(word) ?? this.#expand(word)
      const [own = 0] = terms
      if (this.documentsOf[own]?.at(-1) === document) return own
      for (const term of terms) {
        const list = this.documentsOf[term]
        if (list && list.at(-1) !== document) list.push(document)
      }
      return own
    })
  }

  #expand(word: string): readonly number[] {
    const terms = Array.from(termsOf([word]), (term) => this.#indexOf(term))
    this.#expanded.set(word, terms)
    return terms
  }

  #indexOf(term: string): number {
    const known = this.#indexes.get(term)
    if (known !== undefined) return known
    const index = this.terms.push(term) - 1
    this.documentsOf.push([])
    this.#indexes.set(term, index)
    return index
  }
}
