import { describe, expect, test } from 'bun:test'

import type { FindTerm } from '../../../../src/clients/search/search-engine.ts'
import { readSameWords } from '../../../../src/domain/listings/everyday-words.ts'
import {
  parseFind,
  plainWordsOf,
  replaceWords,
  widen,
} from '../../../../src/features/catalog/search/find-words.ts'
import { createRandom } from '../../../../src/lib/random.ts'

const known = {
  sameWords: readSameWords([
    ['tea', 'brew'],
    ['brew', 'char'],
    ['x y z', 'xyz'],
  ]),
  isTag: (slug: string) => slug === 'co-op' || slug === 'time-travel',
  isEngine: (slug: string) => slug === 'godot',
  isOfDeveloper: (word: string) => word === 'moss',
}
const read = (text: string) => parseFind(text, known)
const show = (terms: readonly FindTerm[]) =>
  terms.map(
    ({ kind, alternatives }) => `${kind}: ${alternatives.map((words) => words.join(' ')).join(' | ')}`,
  )
const kinds = (text: string) => show(read(text).find.terms)
const named = (text: string) =>
  read(text).understood.map(
    ({ word, facet, value, excludes }) => `${excludes ? '-' : ''}${word} ${facet}=${value}`,
  )

describe('the words of a person', () => {
  test.each([
    ['old lantern', ['word: old', 'beginning: lantern']],
    ['old "Lantern Keeper"', ['word: old', 'exact: lantern keeper']],
    ['"" old', ['beginning: old']],
    ['old brew', ['word: old', 'same: brew | tea | char']],
    ['X Y Z w', ['same: x y z | xyz', 'beginning: w']],
    ['old old lantern', ['word: old', 'beginning: lantern']],
    ['ghost-train', ['word: ghost', 'beginning: train']],
    ['machine mac', ['word: machine', 'word: mac']],
    ['mach', ['beginning: mach']],
    ['old web -lantern', ['word: old', 'word: web']],
    ['-', []],
    ['old by moss', ['word: old', 'beginning: moss']],
    ['old by night', ['word: old', 'word: by', 'beginning: night']],
    ['strategy on linux', ['word: strategy', 'beginning: linux']],
    ['war on time travel', ['word: war', 'word: on', 'word: time', 'beginning: travel']],
    ['星の灯台', ['same: 星 の 灯 台']],
    ['old 灯台 brew', ['word: old', 'same: 灯 台', 'same: brew | tea | char']],
    ['灯', ['beginning: 灯']],
  ])('are read as they stand: %s', (text, expected) => {
    expect(kinds(text)).toEqual(expected)
  })

  test.each([
    ['cosy strategy', ['cosy tone=cozy', 'strategy genres=strategy']],
    ['tower defence', ['tower defence genres=tower-defense']],
    ['coop', ['coop tags=co-op']],
    ['time travel', ['time travel tags=time-travel']],
    ['steam deck', ['steam deck os=linux']],
    ['multiplayer', ['multiplayer net=local', 'multiplayer net=online', 'multiplayer net=local_online']],
    ['godot game', ['godot engines=godot', 'game asset_type=game']],
    ['-horror', ['-horror genres=horror', '-horror content_warnings=horror']],
    ['no time travel', ['-time travel tags=time-travel']],
    ['free assets', ['free price=free', 'assets asset_type=game_asset', 'assets asset_type=dev_asset']],
    ['tower', []],
    ['no lantern', []],
    ['tower defense without co-op', ['tower defense genres=tower-defense', '-co op tags=co-op']],
    ['not horror', ['-horror genres=horror', '-horror content_warnings=horror']],
    ['under $5', ['under 5 price=free', 'under 5 price=under_5']],
    ['"horror"', []],
  ])('name values: %s', (text, expected) => {
    expect(named(text)).toEqual(expected)
  })

  test('leave out a value of any kind, and other words from the texts', () => {
    const { find, excluded } = read('-phone -lantern')
    expect(excluded[0]).toEqual({
      kind: 'not',
      of: {
        kind: 'any',
        of: [
          { kind: 'has', field: 'os', values: ['android'] },
          ...(['tags', 'engines', 'developer'] as const).map((field) => ({
            kind: 'has' as const,
            field,
            values: ['phone'],
          })),
        ],
      },
    })
    expect(find).toEqual({ terms: [], without: [['lantern']] })
  })

  test('are bounded, whatever is typed', () => {
    const random = createRandom('typed')
    const parts = [
      '"',
      '-',
      ' ',
      'no',
      'horror',
      'steam',
      'deck',
      '“',
      '🎲',
      'é',
      '\u0000',
      '--',
      '-"',
      'x'.repeat(90),
      '星',
    ]
    for (let round = 0; round < 500; round += 1) {
      const text = Array.from({ length: random.below(60) }, () => random.pick(parts)).join(
        random.pick(['', ' ']),
      )
      const { find, excluded, understood } = read(text)
      expect(find.terms.length + find.without.length).toBeLessThanOrEqual(16)
      expect(excluded.length).toBeLessThanOrEqual(16)
      expect(understood.length).toBeLessThanOrEqual(64)
      for (const { alternatives } of find.terms)
        for (const words of alternatives) expect(words.length).toBeGreaterThan(0)
    }
  })

  const isKnown = (word: string, asPrefix: boolean) =>
    ['gearheart', 'crumb', 'quest', 'old', 'gear'].some((one) =>
      asPrefix ? one.startsWith(word) : one === word,
    )

  test.each([
    ['old games like quest', ['word: old', 'word: games', 'beginning: quest']],
    ['crumbquest', ['word: crumb', 'beginning: quest']],
    ['crumbque', ['word: crumb', 'beginning: que']],
    ['crumbque old', null],
    ['gear of heart old', ['word: gearheart', 'beginning: old']],
    ['old gear hea', ['word: old', 'beginning: gearhea']],
    ['星の灯台', ['word: 星', 'word: の', 'word: 灯', 'word: 台']],
    ['old crumb', null],
    ['"crumbquest"', null],
    ['to the', null],
    ['', null],
  ])('are widened where they find nothing: %s', (text, expected) => {
    const widened = widen(read(text).find, isKnown)
    expect(widened && show(widened.terms)).toEqual(expected)
  })

  test('are counted without signs and exclusions', () => {
    expect(plainWordsOf(' Dinosaur  "Racing" -horror!')).toBe('dinosaur racing')
  })

  test('are replaced one by one', () => {
    expect(
      replaceWords(
        'Lantren  -horror kepper',
        new Map([
          ['lantren', 'lantern'],
          ['kepper', 'keeper'],
        ]),
      ),
    ).toBe('lantern  -horror keeper')
  })
})
