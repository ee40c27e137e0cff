import { describe, expect, test } from 'bun:test'

import { readSameWords } from '../../../../src/domain/listings/everyday-words.ts'
import { parseFind, plainWordsOf, replaceWords } from '../../../../src/features/catalog/search/find-words.ts'
import { createRandom } from '../../../../src/lib/random.ts'

const known = {
  sameWords: readSameWords([
    ['tea', 'brew'],
    ['brew', 'char'],
    ['x y z', 'xyz'],
  ]),
  isTag: (slug: string) => slug === 'co-op' || slug === 'time-travel',
  isEngine: (slug: string) => slug === 'godot',
}
const read = (text: string) => parseFind(text, known)
const kinds = (text: string) =>
  read(text).find.terms.map(
    ({ kind, alternatives }) => `${kind}: ${alternatives.map((words) => words.join(' ')).join(' | ')}`,
  )
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
