import { describe, expect, test } from 'bun:test'

import type { FindTerm } from '../../../../src/clients/search/search-engine.ts'
import { readSameWords } from '../../../../src/domain/listings/everyday-words.ts'
import { correct, widen } from '../../../../src/features/catalog/search/find-wider.ts'
import { parseFind, plainWordsOf, replaceWords } from '../../../../src/features/catalog/search/find-words.ts'
import { createRandom } from '../../../../src/lib/random.ts'

const known = {
  sameWords: readSameWords([
    ['tea', 'brew'],
    ['brew', 'char'],
    ['x y z', 'xyz'],
  ]),
  isTag: (slug: string) => ['co-op', 'time-travel', 'language'].includes(slug),
  isEngine: (slug: string) => slug === 'godot',
  languagesNamed: (words: readonly string[]) => (words.join(' ') === 'german' ? ['de', 'de-AT'] : []),
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
    ['runs on linux', ['beginning: linux']],
    ['supports linux', ['beginning: linux']],
    ['linux version old', ['word: linux', 'beginning: old']],
    ['old version', ['word: old', 'beginning: version']],
    ['games made without blood', ['word: games']],
    ['old under $10', ['word: old']],
    ['old for at most 9.99 euros', ['word: old', 'word: for']],
    ['games made in godot', ['word: games', 'beginning: godot']],
    ['runs on a hill', ['word: runs', 'word: on', 'word: a', 'beginning: hill']],
    [
      'https://shop.example/games/the-last-ferry/reviews?page=2#top',
      ['word: the', 'word: last', 'beginning: ferry'],
    ],
    ['http://localhost:3000/developers/moss-jam', ['word: moss', 'beginning: jam']],
    [
      'see https://shop.example/games/salt-line now',
      ['word: see', 'word: salt', 'word: line', 'beginning: now'],
    ],
    ['https://shop.example/', ['word: https', 'word: shop', 'beginning: example']],
    ['https://', ['beginning: https']],
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
    ['no blood', ['-blood content_warnings=gore']],
    ['non violent', ['-violent content_warnings=violence']],
    ['no internet', ['no internet net=offline']],
    ['under 10 bucks', ['under 10 bucks price=free', 'under 10 bucks price=under_5']],
    ['under 20 minutes', []],
    ['under the sea', []],
    ['in german', ['german languages=de', 'german languages=de-AT']],
    ['german language', ['german languages=de', 'german languages=de-AT']],
    ['asset packs', ['asset packs asset_type=game_asset', 'asset packs asset_type=dev_asset']],
    ['no german', ['-german languages=de', '-german languages=de-AT']],
    [
      'made without ai',
      ['art', 'audio', 'code', 'text', 'voice', 'runtime'].map((part) => `-ai ai_uses=${part}`),
    ],
    ['1 hour', ['1 hour session_bucket=1h']],
    ['under 5 euros', ['under 5 euros price=free', 'under 5 euros price=under_5']],
    ['4 players', ['4 players net=local', '4 players net=online', '4 players net=local_online']],
    ['colour blind', ['colour blind accessibility=colour_blind_safe']],
    ['strategies', ['strategies genres=strategy']],
  ])('name values: %s', (text, expected) => {
    expect(named(text)).toEqual(expected)
  })

  test.each([
    ['under 10', 1000],
    ['below €10', 1000],
    ['less than 9.99', 999],
    ['cheaper than 20 dollars', 2000],
    ['up to 5', 500],
    ['under15', 1500],
  ])('bound the price: %s', (text, most) => {
    expect(read(text).filters).toEqual([{ kind: 'price', most }])
  })

  test('leave out a value of any kind, and other words from the texts', () => {
    const { find, filters } = read('-phone -lantern')
    expect(filters[0]).toEqual({
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
      const { find, filters, understood } = read(text)
      expect(find.terms.length + find.without.length).toBeLessThanOrEqual(16)
      expect(filters.length).toBeLessThanOrEqual(16)
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
    ['crumbs', ['word: crumb']],
    ['quest with a good gear', ['word: quest', 'beginning: gear']],
    ['"crumbquest"', null],
    ['to the', null],
    ['', null],
  ])('are widened where they find nothing: %s', (text, expected) => {
    const widened = widen(read(text).find, isKnown)
    expect(widened && show(widened.terms)).toEqual(expected)
  })

  test('are corrected as a name writes them, apart from types of listings', async () => {
    const asked: (readonly string[])[] = []
    const correctBy = async (text: string, name: readonly string[] | null) => {
      const corrected = await correct(read(text).find, async (words) => {
        asked.push(words)
        return name
      })
      return corrected && show(corrected.terms)
    }
    expect(await correctBy('lsat game fery', ['last', 'ferry'])).toEqual([
      'word: last',
      'word: game',
      'word: ferry',
    ])
    expect(await correctBy('last "big boat" ferr', null)).toBeNull()
    expect(await correctBy('fery game', ['ferry'])).toBeNull()
    expect(asked).toEqual([
      ['lsat', 'fery'],
      ['last', 'ferr'],
    ])
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
