import { isSliceOver, nextSlice } from '../../../lib/loop-slices.ts'
import { WordNumbers } from '../../../lib/word-numbers.ts'
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
    names.push(collector.add(index, name))
    taglines.push(collector.add(index, tagline))
    collector.add(index, description)
  }
  return { documents, terms: collector.terms, documentsOf: collector.documentsOf, names, taglines }
}

class TermCollector {
  readonly terms: string[] = []
  readonly documentsOf: number[][] = []
  readonly #indexes = new Map<string, number>()
  readonly #words = new WordNumbers()
  /** The terms of each word, its own first. */
  readonly #termsOf: (readonly number[])[] = []
  /** The last document of each word and term. */
  readonly #lastOfWord: number[] = []
  readonly #lastOfTerm: number[] = []

  /** Documents must be added in ascending order. Returns the terms of the words themselves. */
  add(document: number, text: string): number[] {
    const numbers = this.#words.numbersOf(text)
    for (let word = this.#termsOf.length; word < this.#words.words.length; word += 1) this.#addWord(word)
    return numbers.map((word) => {
      const terms = this.#termsOf[word] ?? []
      if (this.#lastOfWord[word] !== document) {
        this.#lastOfWord[word] = document
        for (const term of terms) this.#addTo(term, document)
      }
      return terms[0] ?? 0
    })
  }

  #addTo(term: number, document: number): void {
    if (this.#lastOfTerm[term] === document) return
    this.#lastOfTerm[term] = document
    this.documentsOf[term]?.push(document)
  }

  #addWord(word: number): void {
    this.#termsOf.push(Array.from(termsOf([this.#words.words[word] ?? '']), (term) => this.#indexOf(term)))
    this.#lastOfWord.push(-1)
  }

  #indexOf(term: string): number {
    const known = this.#indexes.get(term)
    if (known !== undefined) return known
    const index = this.terms.push(term) - 1
    this.documentsOf.push([])
    this.#lastOfTerm.push(-1)
    this.#indexes.set(term, index)
    return index
  }
}
