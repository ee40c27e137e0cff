import { ONE_TYPO_FROM } from '../../search-engine.ts'
import type { LiveIndex } from '../index/live-index.ts'
import type { TypoBudget } from '../index/near-words.ts'
import type { Vocabulary } from '../index/vocabulary.ts'
import { maxEditsOf } from './find-match.ts'

/** Too short for a typo anywhere, but not in a name that has all the other words. */
const FORGIVEN_LENGTH = ONE_TYPO_FROM - 1
const STEPS_MAX = 100_000
/** Of more names the rest is not compared. */
const NAMES_MAX = 500

/**
 * The words with those of four letters as a name writes them that has every word, typos included; the nearest name that is
 * not adult. Null if there is none, or if it writes them like this.
 */
export async function findNearName(
  { columns, vocabulary }: LiveIndex,
  words: readonly string[],
): Promise<string[] | null> {
  const budget: TypoBudget = { steps: STEPS_MAX }
  const wanted: ReadonlyMap<number, number>[] = []
  const found = columns.alive.copy().without(columns.adult)
  try {
    for (const [at, word] of words.entries()) {
      const near = await findNear(word, at === words.length - 1, vocabulary, budget)
      const named = columns.findNamed([...near.keys()], found)
      found.and(named)
      named.release()
      if (found.isEmpty()) return null
      wanted.push(near)
    }
    const names = Array.from(found.toArray().subarray(0, NAMES_MAX), (id) =>
      readName(columns.name, id, wanted),
    )
    const [nearest] = names.toSorted((a, b) => a.edits - b.edits || a.length - b.length)
    const written = words.map((word, at) =>
      word.length === FORGIVEN_LENGTH ? vocabulary.wordOf(nearest?.wordIds[at] ?? -1) || word : word,
    )
    const isSame = written.every((word, at) => word.startsWith(words[at] ?? ''))
    return isSame ? null : written
  } finally {
    found.release()
  }
}

/** The words that this one may be, and how many letters are wrong. */
async function findNear(
  word: string,
  asPrefix: boolean,
  vocabulary: Vocabulary,
  budget: TypoBudget,
): Promise<Map<number, number>> {
  const isForgiven = word.length === FORGIVEN_LENGTH
  const maxEdits = isForgiven ? 1 : maxEditsOf(word)
  const wanted = { word, maxEdits, asPrefix: asPrefix && !isForgiven }
  const near = (maxEdits > 0 && (await vocabulary.near(wanted, budget))) || new Map<number, number>()
  const exact = asPrefix ? vocabulary.startingWith(word) : [vocabulary.idOf(word) ?? []].flat()
  for (const id of exact) near.set(id, 0)
  return near
}

/** For each of the words the nearest one of the name. */
function readName(
  names: LiveIndex['columns']['name'],
  id: number,
  wanted: readonly ReadonlyMap<number, number>[],
): { wordIds: number[]; edits: number; length: number } {
  const length = names.lengthOf(id)
  const ids = Array.from({ length }, (_, at) => names.at(id, at))
  let edits = 0
  const wordIds = wanted.map((near) => {
    const [best = -1] = ids
      .filter((one) => near.has(one))
      .toSorted((a, b) => (near.get(a) ?? 0) - (near.get(b) ?? 0))
    edits += near.get(best) ?? 0
    return best
  })
  return { wordIds, edits, length }
}
