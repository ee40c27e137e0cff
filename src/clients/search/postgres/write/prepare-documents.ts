import type { SearchDocument } from '../../../../domain/listings/search-document.ts'
import { isSliceOver, nextSlice } from '../../../../lib/flow/loop-slices.ts'
import { WordNumbers } from '../../../../lib/text/search-words.ts'
import { copyInto } from '../index/growth.ts'
import { termsOf, termsOfTitles } from '../index/vocabulary.ts'

/** A batch of documents with their terms. Both are referred to by their index in the batch. */
export interface PreparedDocuments {
  documents: readonly SearchDocument[]
  /** Each term once. */
  terms: readonly string[]
  /** The terms of all documents, each once per document, and where those of each document end. */
  termsOfDocuments: Int32Array
  ends: Int32Array
  /** For each document the terms of the words of its name and tagline, in order. */
  names: readonly (readonly number[])[]
  taglines: readonly (readonly number[])[]
}

/** The part of indexing that needs no database. Yields to the event loop. */
export async function prepareDocuments(documents: readonly SearchDocument[]): Promise<PreparedDocuments> {
  const collector = new TermCollector()
  const [names, taglines]: [number[][], number[][]] = [[], []]
  const ends = new Int32Array(documents.length)
  for (const [index, { name, tagline, description, post_titles: titles }] of documents.entries()) {
    if (isSliceOver()) await nextSlice()
    names.push(collector.add(index, name))
    taglines.push(collector.add(index, tagline))
    collector.add(index, description)
    collector.addTitles(index, titles)
    ends[index] = collector.size
  }
  const { terms, collected } = collector
  return { documents, terms, termsOfDocuments: collected.subarray(0, collector.size), ends, names, taglines }
}

class TermCollector {
  readonly terms: string[] = []
  /** The terms of the documents one after the other; `size` of them so far. */
  collected = new Int32Array(65_536)
  size = 0
  readonly #indexes = new Map<string, number>()
  readonly #words = new WordNumbers()
  /** The terms of each word, its own first. */
  readonly #termsOf: (readonly number[])[] = []
  /** The last document of each word and term. */
  readonly #lastOfWord: number[] = []
  readonly #lastOfTerm: number[] = []

  /** Documents must be added one after the other. Returns the terms of the words themselves. */
  add(document: number, text: string): number[] {
    const numbers = this.#words.numbersOf(text)
    for (let word = this.#termsOf.length; word < this.#words.words.length; word += 1) this.#addWord(word)
    for (let index = 0; index < numbers.length; index += 1) {
      const word = numbers[index] ?? 0
      const terms = this.#termsOf[word] ?? []
      if (this.#lastOfWord[word] !== document) {
        this.#lastOfWord[word] = document
        for (let nth = 0; nth < terms.length; nth += 1) this.#collect(terms[nth] ?? 0, document)
      }
      numbers[index] = terms[0] ?? 0
    }
    return numbers
  }

  addTitles(document: number, titles: readonly string[]): void {
    for (const term of termsOfTitles(titles)) this.#collect(this.#indexOf(term), document)
  }

  #collect(term: number, document: number): void {
    if (this.#lastOfTerm[term] === document) return
    this.#lastOfTerm[term] = document
    if (this.size === this.collected.length)
      this.collected = copyInto(this.collected, new Int32Array(this.size * 2))
    this.collected[this.size] = term
    this.size += 1
  }

  #addWord(word: number): void {
    this.#termsOf.push(Array.from(termsOf([this.#words.words[word] ?? '']), (term) => this.#indexOf(term)))
    this.#lastOfWord.push(-1)
  }

  #indexOf(term: string): number {
    const known = this.#indexes.get(term)
    if (known !== undefined) return known
    const index = this.terms.push(term) - 1
    this.#lastOfTerm.push(-1)
    this.#indexes.set(term, index)
    return index
  }
}
