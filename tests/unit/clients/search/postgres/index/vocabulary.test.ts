import { beforeAll, describe, expect, test } from 'bun:test'

import { termsOf, Vocabulary } from '../../../../../../src/clients/search/postgres/index/vocabulary.ts'
import { createRandom } from '../../../../../../src/lib/random.ts'
import { makeWords } from '../../../../../helpers/search/search-documents.ts'

const words = makeWords('vocabulary', 3000)
const random = createRandom('vocabulary')

/** In several parts and out of order, as they come while listings are published. */
async function learn(): Promise<Vocabulary> {
  const vocabulary = new Vocabulary()
  for (let start = 0; start < words.length; start += 900) {
    await vocabulary.apply(words.slice(start, start + 900).map((word, at) => [start + at, word] as const))
  }
  return vocabulary
}

/** Letters to add, drop or change and neighbours to swap, between every beginning of the word and the other one. */
function editsByLength(word: string, other: string): number[] {
  const rows = [Array.from({ length: other.length + 1 }, (_, column) => column)]
  const at = (row: number, column: number) => rows[row]?.[column] ?? 99
  for (let row = 1; row <= word.length; row += 1) {
    rows.push([row])
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = word[row - 1] === other[column - 1]
      const isSwapped = word[row - 1] === other[column - 2] && word[row - 2] === other[column - 1]
      const swapped = isSwapped ? at(row - 2, column - 2) + 1 : 99
      const changed = at(row - 1, column - 1) + (isSame ? 0 : 1)
      rows[row]?.push(Math.min(at(row - 1, column) + 1, at(row, column - 1) + 1, changed, swapped))
    }
  }
  return rows.map((_, row) => at(row, other.length))
}

const unlimited = () => ({ steps: Number.POSITIVE_INFINITY })

describe('the vocabulary', () => {
  let vocabulary: Vocabulary
  beforeAll(async () => {
    vocabulary = await learn()
  })

  test('knows every word', () => {
    expect(words.every((word, id) => vocabulary.idOf(word) === id)).toBe(true)
    expect(vocabulary.idOf('not-a-word')).toBeUndefined()
    expect(vocabulary.size).toBe(words.length)
  })

  test.each(['l', 'la', 'lamo', 'zzz', ''])('knows what begins with %p', (prefix) => {
    const expected = words.flatMap((word, id) => (word.startsWith(prefix) ? [id] : []))
    expect(vocabulary.startingWith(prefix).sort((a, b) => a - b)).toEqual(expected)
  })

  test.each([
    [1, false],
    [1, true],
    [2, false],
    [2, true],
  ])('finds all words with up to %d typos, as beginnings: %p', async (typos, asPrefix) => {
    const long = words.filter(({ length }) => length > 5)
    for (let turn = 0; turn < 8; turn += 1) {
      const word = random.pick(long)
      const position = random.below(word.length)
      const wanted = random.pick([
        word.slice(0, position) + word.slice(position + 1),
        `${word.slice(0, position)}x${word.slice(position)}`,
        word.slice(0, position) +
          (word[position + 1] ?? '') +
          (word[position] ?? '') +
          word.slice(position + 2),
        word.slice(0, 5),
      ])
      const expected = words.flatMap((known, id) => {
        const edits = editsByLength(known, wanted)
        const least = asPrefix ? Math.min(...edits) : (edits.at(-1) ?? 99)
        return least <= typos ? [[id, least] as [number, number]] : []
      })
      const found = await vocabulary.near({ word: wanted, maxEdits: typos, asPrefix }, unlimited())
      expect({ wanted, found: [...(found ?? [])].sort(([a], [b]) => a - b) }).toEqual({
        wanted,
        found: expected,
      })
    }
  })

  test('keeps short beginnings apart from words', async () => {
    const terms = [...termsOf(['lantern', 'la'])]
    expect(terms.sort()).toEqual(['l*', 'la', 'la*', 'lan*', 'lantern'])
    const small = new Vocabulary()
    await small.apply(terms.map((term, id) => [id, term] as const))
    expect(small.idOfShortPrefix('la')).toBe(terms.indexOf('la*'))
    expect(small.idOfShortPrefix('lam')).toBeUndefined()
    expect(small.startingWith('l').map((id) => terms[id])).toEqual(['la', 'lantern'])
    const near = await small.near({ word: 'lantern', maxEdits: 1, asPrefix: false }, unlimited())
    expect([...(near ?? new Map<number, number>()).keys()].map((id) => terms[id])).toEqual(['lantern'])
  })

  test('stops looking for typos at the end of its budget', async () => {
    const wanted = { word: 'zzzzzzzzzz', maxEdits: 2, asPrefix: false }
    const budget = { steps: 1_000_000 }
    expect(await vocabulary.near(wanted, budget)).toEqual(new Map())
    const used = 1_000_000 - budget.steps
    expect(used).toBeGreaterThan(100)
    expect(await vocabulary.near(wanted, { steps: Math.floor(used / 2) })).toBeNull()
    expect(await vocabulary.near(wanted, { steps: used + 1 })).toEqual(new Map())
  })
})

/** As words come and go while descriptions are edited: numbers are used again, also for the same word. */
describe('a vocabulary that changes', () => {
  test('is the same as one that was read at once', async () => {
    const changing = new Vocabulary()
    const current = new Map<number, string>()
    for (let round = 0; round < 40; round += 1) {
      const changes = new Map<number, string | null>()
      const taken = () => new Set([...current].flatMap(([id, word]) => (changes.has(id) ? [] : word)))
      for (const id of random.draw([...current.keys()], Math.min(current.size, 100))) changes.set(id, null)
      const used = taken()
      for (let added = 0; added < 300; added += 1) {
        const [id, word] = [random.below(3000), random.pick(words)]
        if (used.has(word) || changes.get(id) || (current.has(id) && !changes.has(id))) continue
        used.add(word)
        changes.set(id, word)
      }
      await changing.apply(changes)
      for (const [id, word] of changes) {
        if (word === null) current.delete(id)
        else current.set(id, word)
      }
    }
    expect(current.size).toBeGreaterThan(1000)
    const ids = new Map([...current].map(([id, word]) => [word, id]))
    expect(words.filter((word) => changing.idOf(word) !== ids.get(word))).toEqual([])
    const fresh = new Vocabulary()
    await fresh.apply(current)
    for (const prefix of ['l', 'la', '']) {
      expect(new Set(changing.startingWith(prefix))).toEqual(new Set(fresh.startingWith(prefix)))
    }
    for (const word of random.draw(words, 20)) {
      const wanted = { word, maxEdits: 2, asPrefix: true }
      expect(await changing.near(wanted, unlimited())).toEqual(await fresh.near(wanted, unlimited()))
    }
  })

  test('forgets short beginnings that no word has', async () => {
    const vocabulary = new Vocabulary()
    await vocabulary.apply([
      [0, 'la*'],
      [1, 'lamp'],
    ])
    await vocabulary.apply([
      [0, null],
      [1, null],
    ])
    expect(vocabulary.idOfShortPrefix('la')).toBeUndefined()
    expect(vocabulary.startingWith('la')).toEqual([])
    expect(await vocabulary.near({ word: 'lamp', maxEdits: 1, asPrefix: false }, unlimited())).toEqual(
      new Map(),
    )
  })
})
