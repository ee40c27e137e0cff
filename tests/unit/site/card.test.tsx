import { expect, test } from 'bun:test'

import type { OperatingSystem } from '../../../src/domain/builds/platforms.ts'
import type { Card } from '../../../src/features/catalog/pages/model.ts'
import { WideCard } from '../../../src/site/catalog/home-rows.tsx'
import { CardList, firstPictureOf } from '../../../src/site/components/card.tsx'
import { OncePage } from '../../../src/site/components/once-a-page.tsx'
import { renderText } from '../../../src/site/kit/html.ts'

const image = (kind: 'cover' | 'thumbnail') => ({
  uid: crypto.randomUUID(),
  kind,
  url: `http://store.test/media/${kind}.webp`,
  width: 640,
  height: 360,
})

/** The parts of a card that are shown. */
function make(changes: Partial<Card>, taxonomy: Partial<Card['taxonomy']> = {}): Card {
  const known = {
    uid: crypto.randomUUID(),
    vanity_name: 'lantern-keeper',
    name: 'Lantern Keeper',
    asset_type: 'game',
    developer: { uid: crypto.randomUUID(), username: 'ada', display_name: 'Ada <Lovelace>', picture: null },
    price: { cents: 1299, currency: 'USD', free: false },
    cover: image('cover'),
    thumbnail: image('thumbnail'),
    parent: null,
    health: { band: 'healthy' },
    platforms: ['linux'],
    playable: false,
    taxonomy: {
      genres: ['tower-defense', 'puzzle'],
      engines: ['godot'],
      session_bucket: '15m',
      players_min: 1,
      players_max: 4,
      ...taxonomy,
    },
    ...changes,
  }
  return known as unknown as Card
}

function show(...cards: Card[]): string {
  return renderText(
    <OncePage>
      <CardList cards={cards} />
    </OncePage>,
  )
}

const factsOf = (card: Card) => /class="facts"[^>]*>([^<]*)</.exec(show(card))?.[1]

test('a card shows name, developer, price and one line of facts', () => {
  const markup = show(make({}))
  for (const text of ['>Lantern Keeper</a>', 'Ada &lt;Lovelace', '$12.99', 'Linux', '/media/thumbnail.webp'])
    expect(markup).toContain(text)
  expect(factsOf(make({}))).toBe('Tower-defense · 15 min · 1–4 players')
  expect(factsOf(make({}, { players_max: 1 }))).toBe('Tower-defense · 15 min')
  expect(factsOf(make({}, { players_min: 2, players_max: 2, session_bucket: null }))).toBe(
    'Tower-defense · 2 players',
  )
  expect(factsOf(make({ asset_type: 'plugin' }))).toBe('Plugin · godot')
  const parent = { external_name: 'Some Game', external_url: 'https://example.org' }
  expect(factsOf(make({ asset_type: 'mod', parent }))).toBe('Mod for Some Game')
})

test('launch health is said only when it is bad', () => {
  for (const band of ['excellent', 'healthy', 'mixed', 'unrated'] as const)
    expect(show(make({ health: { band } }))).not.toContain('badge')
  expect(show(make({ health: { band: 'problematic' } }))).toContain('Launch problems')
})

test('the pictures of the first row load at once, the first of them first', () => {
  const cards = Array.from({ length: 6 }, () => make({}))
  const pictures = [...show(...cards).matchAll(/<img[^>]*>/g)].map(([tag]) => tag)
  expect(pictures.map((tag) => /loading="(\w+)"/.exec(tag)?.[1])).toEqual([
    ...Array<string>(4).fill('eager'),
    ...Array<string>(2).fill('lazy'),
  ])
  expect(pictures.map((tag) => tag.includes('fetchpriority="high"'))).toEqual([
    true,
    ...Array<boolean>(5).fill(false),
  ])
  for (const tag of pictures) expect(tag).toMatch(/width="640" height="360"/)
  expect(firstPictureOf(cards)).toBe('/media/thumbnail.webp')
})

test('a game for computers is not offered to be played on a phone', () => {
  const free = { price: { cents: 0, currency: 'USD', free: true }, playable: true } as const
  const offers = (os: OperatingSystem | null, playable_on_phones: boolean) =>
    renderText(
      <OncePage os={os}>
        <CardList cards={[make({ ...free, playable_on_phones })]} />
      </OncePage>,
    ).includes('Play in browser')
  for (const os of ['android', 'ios'] as const)
    expect([os, offers(os, true), offers(os, false)]).toEqual([os, true, false])
  for (const os of ['linux', 'windows', 'macos', null] as const)
    expect([os, offers(os, true), offers(os, false)]).toEqual([os, true, true])
})

test('a listing without a picture shows its first letter', () => {
  const markup = show(make({ name: '🐙 Octopus', cover: null, thumbnail: null }))
  expect(markup).not.toContain('<img')
  expect(markup).toMatch(/aria-hidden="true">🐙</u)
})

test('a wide card says a word once that is genre and tag', () => {
  const words = { genres: ['puzzle'], tags: ['cozy', 'puzzle', 'rain'] } as const
  const card = make({}, { genres: [...words.genres], tags: [...words.tags] })
  const markup = renderText(
    <OncePage>
      <WideCard card={card} />
    </OncePage>,
  )
  expect(markup).toContain('>puzzle · cozy · rain<')
})
