import { describe, expect, test } from 'bun:test'

import { termsOf, Vocabulary } from '../../../../../../src/clients/search/postgres/vocabulary.ts'
import { createDice } from '../../../../../../src/lib/dice.ts'
import { makeWords } from '../../../../../helpers/search-documents.ts'

const words = makeWords('vocabulary', 6000)
const dice = createDice('vocabulary')

/** In several parts and out of order, as they come while listings are published. */
function learn(): Vocabulary {
  const vocabulary = new Vocabulary()
  for (let start = 0; start < words.length; start += 900) {
    vocabulary.add(words.slice(start, start + 900).map((word, at) => [start + at, word] as const))
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

describe('the vocabulary', () => {
  const vocabulary = learn()

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
  ])('finds all words with up to %d typos, as beginnings: %p', (typos, asPrefix) => {
    for (let turn = 0; turn < 15; turn += 1) {
      const word = dice.pick(words.filter(({ length }) => length > 5))
      const place = dice.below(word.length)
      const wanted = dice.pick([
        word.slice(0, place) + word.slice(place + 1),
        `${word.slice(0, place)}x${word.slice(place)}`,
        word.slice(0, place) + (word[place + 1] ?? '') + (word[place] ?? '') + word.slice(place + 2),
        word.slice(0, 5),
      ])
      const expected = words.flatMap((known, id) => {
        const edits = editsByLength(known, wanted)
        const least = asPrefix ? Math.min(...edits) : (edits.at(-1) ?? 99)
        return least <= typos ? [[id, least] as [number, number]] : []
      })
      const found = vocabulary.near(wanted, typos, asPrefix)
      expect({ wanted, found: [...found].sort(([a], [b]) => a - b) }).toEqual({ wanted, found: expected })
    }
  })

  test('keeps short beginnings apart from words', () => {
    const terms = [...termsOf(['lantern', 'la'])]
    expect(terms.sort()).toEqual(['l*', 'la', 'la*', 'lan*', 'lantern'])
    const small = new Vocabulary()
    small.add(terms.map((term, id) => [id, term] as const))
    expect(small.idOfShortPrefix('la')).toBe(terms.indexOf('la*'))
    expect(small.idOfShortPrefix('lam')).toBeUndefined()
    expect(small.startingWith('l').map((id) => terms[id])).toEqual(['la', 'lantern'])
    expect([...small.near('lantern', 1, false).keys()].map((id) => terms[id])).toEqual(['lantern'])
  })
})
