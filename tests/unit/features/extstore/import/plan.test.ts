import { describe, expect, test } from 'bun:test'

import type { StoreApp } from '../../../../../src/clients/extstore/client.ts'
import { type Group, GROUPS } from '../../../../../src/features/extstore/import/model.ts'
import { mergeTeam, planImport, type Target } from '../../../../../src/features/extstore/import/plan.ts'
import { NO_SCREENSHOTS } from '../../../../../src/features/extstore/import/screenshots.ts'
import { BARE_APP } from '../../../../helpers/ext-store-double/bare-app.ts'

const APP: StoreApp = { ...BARE_APP, appId: 620, name: 'Lantern' }

const SETTLED: Target = {
  isNew: false,
  anonymousDownloads: false,
  inputs: [],
  languages: [],
  accessibility: [],
}

function plan(changes: Partial<StoreApp>, groups: readonly Group[] = GROUPS, target = SETTLED) {
  return planImport({ ...APP, ...changes }, target, new Set(groups), NO_SCREENSHOTS)
}

const genre = (id: number, name = `Genre ${id}`) => ({ id, name })

describe('text', () => {
  test('name, tagline and description are cut at a word', () => {
    const words = 'lantern '.repeat(10_000)
    const { patch } = plan({ name: words, shortDescription: words, aboutTheGame: `<p>${words}</p>` }, [
      'text',
    ])
    expect(patch.name).toBe('lantern '.repeat(10).trim())
    expect(patch.tagline).toHaveLength(135)
    expect(patch.description).toHaveLength(49_999)
  })

  test('the long text is the detailed one, or else the shorter one', () => {
    const texts = { detailedDescription: '<p>Long</p>', aboutTheGame: '<p>Short</p>' }
    expect(plan(texts, ['text']).patch.description).toBe('Long')
    expect(plan({ ...texts, detailedDescription: '<img>' }, ['text']).patch.description).toBe('Short')
  })

  test('what is empty stays as it was', () => {
    const { patch, report } = plan({}, ['text'])
    expect(patch).toEqual({ name: 'Lantern' })
    expect(report.skipped.map(({ field }) => field)).toEqual(['tagline', 'description'])
  })

  test('a new listing takes name and description first', () => {
    const { report } = plan({ aboutTheGame: 'Text' }, ['status'], { ...SETTLED, isNew: true })
    expect(report.imported.map(({ field }) => field)).toEqual(['name', 'description', 'status'])
  })
})

describe('genres and tags', () => {
  test.each([
    ['by number', [genre(1), genre(3)], [], ['action', 'rpg']],
    ['three at most', [genre(1), genre(2), genre(3), genre(4)], [], ['action', 'strategy', 'rpg']],
    [
      'filled up with tags',
      [genre(25)],
      ['Puzzle', "Beat 'em up", 'Horror'],
      ['adventure', 'puzzle', 'fighting'],
    ],
    ['each once', [genre(25)], ['Adventure', 'Action RPG'], ['adventure', 'rpg']],
    ['none that is unknown', [genre(23), genre(70)], ['Cats'], undefined],
  ])('genres: %s', (_, genres, tags, expected) => {
    expect(plan({ genres, tags }, ['taxonomy']).patch.genres).toEqual(expected)
  })

  test('genres without a counterpart, and those too many, are told', () => {
    const genres = [
      genre(1),
      genre(2),
      genre(3),
      genre(4, 'Casual'),
      genre(23, 'Indie'),
      genre(73, 'Violent'),
    ]
    const { report } = plan({ genres }, ['taxonomy'])
    expect(report.skipped.filter(({ field }) => field === 'genres').map(({ reason }) => reason)).toEqual([
      '“Casual” was left out; a listing has up to 3 genres.',
      '“Indie” has no counterpart here.',
    ])
  })

  test.each([
    ['as slugs', ["1990's", 'Sci-fi', 'Dungeons & Dragons'], ['1990s', 'sci-fi', 'dungeons-dragons']],
    ['each once', ['Co-op', 'Co-Op', 'a', 'b'], ['co-op', 'a', 'b']],
    ['not fewer than three', ['a', 'b'], undefined],
    ['without those that cannot be written', ['a', 'b', 'c', '日本', 'x'.repeat(33)], ['a', 'b', 'c']],
    [
      'twenty at most',
      Array.from({ length: 25 }, (_, index) => `t${index}`),
      Array.from({ length: 20 }, (_, index) => `t${index}`),
    ],
  ])('tags: %s', (_, tags, expected) => {
    expect(plan({ tags }, ['taxonomy']).patch.tags).toEqual(expected)
  })
})

describe('how it is played', () => {
  test.each([
    ['alone', [2], { net: 'offline', players_min: 1, players_max: 1 }],
    ['shared screen', [24], { net: 'local' }],
    ['shared screen, also alone', [1, 2, 9, 24, 39], { net: 'local', players_min: 1 }],
    ['multi-player', [1], { net: 'online' }],
    ['online', [1, 36, 38], { net: 'online' }],
    ['a local network', [47, 48], { net: 'online' }],
    ['both', [1, 2, 37, 38], { net: 'local_online', players_min: 1 }],
    ['a gamepad', [18, 28], { inputs: ['gamepad'] }],
    ['in virtual reality', [53, 28, 31], { inputs: ['vr', 'gamepad'] }],
    ['nothing known', [22, 23, 62], {}],
  ])('%s', (_, categoryIds, expected) => {
    expect(plan({ categoryIds }, ['taxonomy']).patch as object).toEqual(expected)
  })

  test('what the listing says already is not lost, since the store never tells of keyboards', () => {
    const target: Target = { ...SETTLED, inputs: ['keyboard_mouse'] }
    expect(plan({ categoryIds: [28] }, ['taxonomy'], target).patch.inputs).toEqual([
      'keyboard_mouse',
      'gamepad',
    ])
  })
})

describe('price', () => {
  const usd = (initial: number) => ({ price: { currency: 'USD', initial } })
  test.each<[string, Partial<StoreApp>, number | undefined]>([
    ['free', { isFree: true }, 0],
    ['the least', usd(99), 99],
    ['the most', usd(9999), 9999],
    ['too little', usd(98), undefined],
    ['too much', usd(10_000), undefined],
    ['another currency', { price: { currency: 'EUR', initial: 999 } }, undefined],
    ['no currency', { price: { currency: '', initial: 999 } }, undefined],
    ['no price', {}, undefined],
  ])('%s', (_, changes, cents) => {
    const { patch, report } = plan(changes, ['price'])
    expect(patch.price_cents).toBe(cents as number)
    expect(report.skipped).toHaveLength(cents === undefined ? 1 : 0)
  })

  test('not while anonymous downloads are on, unless it is free', () => {
    const target = { ...SETTLED, anonymousDownloads: true }
    expect(plan(usd(999), ['price'], target).patch).toEqual({})
    expect(plan({ isFree: true }, ['price'], target).patch).toEqual({ price_cents: 0 })
  })
})

describe('age', () => {
  test.each<[string, number[], number[], object]>([
    ['nothing said', [], [], {}],
    ['nudity', [1], [], { content_warnings: ['nudity', 'sexual'], adult: false }],
    ['violence', [2], [], { content_warnings: ['violence', 'gore'], adult: false }],
    ['adult only', [3], [], { content_warnings: ['sexual', 'nudity'], adult: true }],
    ['gratuitous', [4], [], { content_warnings: ['sexual', 'nudity'], adult: true }],
    ['anything mature', [5], [], { adult: false }],
    ['genres that warn', [], [73, 74], { content_warnings: ['violence', 'gore'] }],
    ['an unknown descriptor', [9], [], { adult: false }],
  ])('%s', (_, contentDescriptorIds, ids, expected) => {
    const { patch } = plan({ contentDescriptorIds, genres: ids.map((id) => genre(id)) }, ['age'])
    expect(patch as object).toEqual(expected)
  })
})

describe('press kit', () => {
  test.each<[string, Partial<StoreApp>, object]>([
    ['nothing known', {}, {}],
    [
      'a long date',
      { release: { comingSoon: true, date: 'When it is done and not a day sooner' } },
      { release_date: 'When it is done and not a day' },
    ],
    ['an https website', { website: 'https://x.y/' }, { website: 'https://x.y/' }],
    ['no http website', { website: 'http://x.y/' }, {}],
    ['no website that is too long', { website: `https://x.y/${'a'.repeat(255)}` }, {}],
    [
      'the first trailer that can be linked',
      { trailers: ['http://x.y/a', 'https://x.y/b'] },
      { trailer_url: 'https://x.y/b' },
    ],
    [
      'who is both',
      { developers: ['Ada', 'Ada', '\u0000'], publishers: ['Ada', 'Bob'] },
      {
        team: [
          { name: 'Ada', role: 'Developer and publisher', url: null },
          { name: 'Bob', role: 'Publisher', url: null },
        ],
      },
    ],
  ])('%s', (_, changes, expected) => {
    expect(plan(changes, ['press']).press as object).toEqual(expected)
  })

  test('credits of people are never pushed out', () => {
    const person = (name: string) => ({ name, role: 'Music', url: null })
    const people = Array.from({ length: 49 }, (_, index) => person(`Person ${index}`))
    const imported = ['Ada', 'Bob'].map((name) => ({ name, role: 'Developer', url: null }))
    const old = { name: 'Old', role: 'Developer', url: null }
    expect(mergeTeam([old, ...people], imported)).toEqual([imported[0] ?? old, ...people])
  })
})

describe('languages, requirements and accessibility', () => {
  const requirements = { ...APP.requirements, windows: { minimum: '<p>x</p>', recommended: '' } }

  test('a star is full audio; subtitles that the listing has stay', () => {
    const supportedLanguages =
      'English<strong>*</strong>, Portuguese - Brazil, Simplified Chinese, Klingon<br><strong>*</strong>languages with full audio support'
    const languages = [{ language: 'pt-BR', interface: false, audio: false, subtitles: true }]
    const { patch, report } = plan({ supportedLanguages }, ['taxonomy'], { ...SETTLED, languages })
    expect(patch.languages).toEqual([
      { language: 'en', interface: true, audio: true, subtitles: false },
      { language: 'pt-BR', interface: true, audio: false, subtitles: true },
      { language: 'zh-Hans', interface: true, audio: false, subtitles: false },
    ])
    expect(report.skipped).toContainEqual({
      field: 'languages',
      reason: '“Klingon” has no counterpart here.',
    })
  })

  test('requirements are plain text, of the systems that the store offers', () => {
    const minimum =
      '<strong>Minimum:</strong><br><ul class="bb_ul"><li><strong>OS:</strong> Any *nix<br></li><li>4 GB RAM</li></ul>'
    const mac = { minimum, recommended: 'x'.repeat(900) }
    const { patch } = plan({ requirements: { ...requirements, mac }, systems: ['mac', 'linux'] })
    expect(patch.requirements).toEqual({
      macos: { minimum: 'OS: Any *nix\n4 GB RAM', recommended: `${'x'.repeat(499)}…` },
    })
  })

  test('accessibility adds to what the listing has', () => {
    const categoryNames = ['Single-player', 'Save Anytime', 'Captions available', 'Subtitle Options']
    const { patch } = plan({ categoryNames }, GROUPS, { ...SETTLED, accessibility: ['one_handed'] })
    expect(patch.accessibility).toEqual(['one_handed', 'save_anywhere', 'subtitles'])
  })

  test('what the store does not say is skipped, and takes nothing away', () => {
    const { patch, report } = plan({}, ['taxonomy'])
    for (const field of ['languages', 'requirements', 'accessibility']) {
      expect(patch).not.toHaveProperty(field)
      expect(report.skipped.map((skipped) => skipped.field)).toContain(field)
    }
  })
})
