import { otherNumbersOf } from '../../../../lib/text/plurals.ts'
import { hasRun, wordsOf } from '../../../../lib/text/search-words.ts'
import { type Find, type FindTerm, ONE_TYPO_FROM, TWO_TYPOS_FROM } from '../../search-engine.ts'
import type { Bitset } from '../index/bitset.ts'
import type { Columns } from '../index/columns.ts'
import type { FactFits, Facts } from '../index/facts.ts'
import type { TypoBudget } from '../index/near-words.ts'
import { findTypos, findWithTypos, lookUp, postingIdsOf, type Term, type TextIndex } from './text-match.ts'

/** Typos are tolerated if fewer than this many listings match the words as typed. */
const TYPOS_BELOW = 20
const TYPO_STEPS_MAX = 200_000

/** Reads descriptions and titles of posts as plain texts, by the uids of their listings. */
export type ReadTexts = (uids: readonly string[]) => Promise<ReadonlyMap<string, readonly string[]>>

export interface FindIndex extends TextIndex {
  columns: Columns
  facts: Facts
  /** Null where the order of their words cannot be known. */
  readTexts: ReadTexts | null
}

/** Of further listings that may have a phrase only in these texts, the order of words is not checked. */
const READ_MAX = 200

/** One word of a term, with where it stands. */
export interface FoundWord {
  text: Term
  fits: FactFits
}

export interface FoundTerm {
  kind: FindTerm['kind']
  /** The words of each alternative. */
  alternatives: readonly (readonly FoundWord[])[]
}

export interface FindMatch {
  terms: readonly FoundTerm[]
  matches: Bitset
}

/** Finds documents that match every term anywhere. */
export async function matchFind({ terms, without }: Find, index: FindIndex): Promise<FindMatch> {
  const unwanted = await findUnwanted(without, index)
  const typed = await Promise.all(terms.map((term) => findTerm(term, index)))
  const matches = (await intersect(typed, index)).without(unwanted)
  const isFree = (term: FoundTerm) => mayHaveTypos(term.kind) && !isValueName(term, index.facts)
  if (matches.count() >= TYPOS_BELOW || !typed.some(isFree)) return { terms: typed, matches }
  const budget: TypoBudget = { steps: TYPO_STEPS_MAX }
  const near: FoundTerm[] = []
  for (const term of typed) near.push(isFree(term) ? await addTypos(term, index, budget) : term)
  return { terms: near, matches: (await intersect(near, index)).without(unwanted) }
}

/** Whoever writes a value as it is called means no other: an `iphone` is no `phone`. */
function isValueName({ alternatives: [words = []] }: FoundTerm, { closed }: Facts): boolean {
  return words.every(({ text }) => closed.find(text.word, false).exact.length > 0)
}

function mayHaveTypos(kind: FindTerm['kind']): boolean {
  return kind === 'word' || kind === 'beginning'
}

async function findUnwanted(without: Find['without'], { vocabulary, alive, postings }: FindIndex) {
  const unwanted = alive.blank()
  for (const words of without) {
    const found = alive.copy()
    for (const word of words) {
      const { wordIds } = lookUp(word, false, vocabulary)
      found.and(await postings.find([...wordIds, ...vocabulary.idsInTitles(word, false)]))
    }
    unwanted.or(found)
  }
  return unwanted
}

async function findTerm({ kind, alternatives }: FindTerm, index: FindIndex): Promise<FoundTerm> {
  const { vocabulary, postings, facts, columns } = index
  const asPrefix = kind === 'beginning'
  const findWord = async (word: string): Promise<FoundWord> => {
    const typed = lookUp(word, asPrefix, vocabulary)
    const others = mayHaveTypos(kind) ? otherNumbersOf(word) : []
    const ids = others.flatMap((other) => vocabulary.idOf(other) ?? [])
    const inTitles = [
      ...vocabulary.idsInTitles(word, asPrefix),
      ...others.flatMap((other) => vocabulary.idsInTitles(other, false)),
    ]
    const exact = await postings.find([...postingIdsOf(typed, vocabulary), ...ids, ...inTitles])
    const text = { ...typed, wordIds: [...new Set([...typed.wordIds, ...ids])], exact }
    return { text, fits: facts.find(columns, word, asPrefix) }
  }
  return {
    kind,
    alternatives: await Promise.all(alternatives.map((words) => Promise.all(words.map(findWord)))),
  }
}

async function addTypos(term: FoundTerm, index: FindIndex, budget: TypoBudget): Promise<FoundTerm> {
  const alternatives: FoundWord[][] = []
  for (const words of term.alternatives) {
    const found: FoundWord[] = []
    for (const { text } of words) {
      const { word, isLast: asPrefix } = text
      const near = await findTypos(text, index.vocabulary, budget)
      const maxEdits = maxEditsOf(word)
      const fits = await index.facts.findNear(index.columns, word, { asPrefix, maxEdits }, budget)
      const inTitles =
        maxEdits === 0 ? [] : await index.vocabulary.nearInTitles({ word, maxEdits, asPrefix }, budget)
      const loose = await findWithTypos({ ...text, near }, index.postings, inTitles)
      found.push({ text: { ...text, near, loose }, fits })
    }
    alternatives.push(found)
  }
  return { ...term, alternatives }
}

export function maxEditsOf(word: string): number {
  return word.length >= TWO_TYPOS_FROM ? 2 : word.length >= ONE_TYPO_FROM ? 1 : 0
}

async function intersect(terms: readonly FoundTerm[], index: FindIndex): Promise<Bitset> {
  const { alive } = index
  const matches = alive.copy()
  for (const { kind, alternatives } of terms) {
    const found = alive.blank()
    for (const words of alternatives) {
      const own = matches.copy()
      for (const word of words) {
        const everywhere = findEverywhere(word)
        own.and(everywhere)
        everywhere.release()
      }
      const isPhrase = words.length > 1 && !mayHaveTypos(kind)
      found.or(isPhrase ? await keepInOrder(own, words, index) : own)
      own.release()
    }
    matches.and(found)
    found.release()
  }
  return matches
}

/** The documents that have the word in any field. */
function findEverywhere({ text, fits }: FoundWord): Bitset {
  const found = (text.loose ?? text.exact).copy()
  for (const bits of [...Object.values(fits.developer), ...Object.values(fits.facts)]) found.or(bits)
  return found
}

/** The documents that have the words one after the other in one of their fields. */
async function keepInOrder(found: Bitset, words: readonly FoundWord[], index: FindIndex): Promise<Bitset> {
  const { columns, facts } = index
  const phrase = words.map(({ text }) => text.word)
  const inOrder = facts.findPhrase(columns, phrase).and(found)
  const wordIds = words.map(({ text }) => text.wordId ?? -1)
  const elsewhere: number[] = []
  for (const id of found.toArray()) {
    if (inOrder.has(id)) continue
    if ([columns.name, columns.tagline].some((field) => indexOf(field, id, wordIds) >= 0)) inOrder.add(id)
    else if (words.every(({ text }) => text.exact.has(id))) elsewhere.push(id)
  }
  for (const id of await listTold(elsewhere, phrase, index)) inOrder.add(id)
  return inOrder
}

/** Those that have the phrase in their description or the title of a post. */
async function listTold(
  ids: readonly number[],
  phrase: readonly string[],
  { columns, readTexts }: FindIndex,
): Promise<readonly number[]> {
  if (readTexts === null || ids.length === 0) return ids
  const read = ids.slice(0, READ_MAX)
  const texts = await readTexts(read.map((id) => columns.uids.of(id)))
  const isTold = (id: number) =>
    texts.get(columns.uids.of(id))?.some((text) => hasRun(wordsOf(text), phrase)) === true
  return [...read.filter(isTold), ...ids.slice(READ_MAX)]
}

type WordLists = Columns['name']

/** Where the words stand one after the other; -1 if they do not. */
export function indexOf(field: WordLists, id: number, wordIds: readonly number[]): number {
  const last = field.lengthOf(id) - wordIds.length
  for (let start = 0; start <= last; start += 1) {
    if (wordIds.every((wordId, at) => field.at(id, start + at) === wordId)) return start
  }
  return -1
}
