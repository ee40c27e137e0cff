import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'

import { inventListing } from '../../../src/demo/bulk/listing.ts'
import { gameRow } from '../../../src/demo/catalog.ts'
import { DEMO_LISTINGS, DEMO_NAMES, DEMO_TICKETS } from '../../../src/demo/data.ts'
import type { GameValues } from '../../../src/demo/queries.ts'
import {
  DEPENDENCY_KINDS,
  DEPENDENCY_RULES,
  MODDING_TYPES,
  PARENT_RULES,
  PARENT_TYPES,
} from '../../../src/domain/listings/listing.ts'
import { isSlug } from '../../../src/domain/listings/slugs.ts'
import { parseModSettings, parseOwnFields } from '../../../src/features/listings/page/fields.ts'
import { DESCRIPTION_MAX, TAGLINE_MAX, VANITY_PATTERN } from '../../../src/features/listings/page/model.ts'
import { parsePressKit } from '../../../src/features/listings/press/service.ts'
import { parseStoreLinks } from '../../../src/features/listings/store-links/service.ts'
import { NAME_MAX } from '../../../src/lib/text/names.ts'

const PICTURES = join(import.meta.dir, '../../../src/demo/pictures')
const known = { now: new Date(), uidOf: (name: string) => name, personOf: (name: string) => name }
const find = (name: string) => DEMO_LISTINGS.find(({ vanityName }) => vanityName === name)
const isPublic = (name: string) => find(name)?.visibility === undefined

/** What the website's own readers make of it is what is stored. */
function expectValid(row: GameValues): void {
  const { name, tagline = '', description = '', vanityName } = row
  expect(vanityName).toMatch(new RegExp(VANITY_PATTERN))
  expect([
    name.length <= NAME_MAX,
    tagline.length <= TAGLINE_MAX,
    description.length <= DESCRIPTION_MAX,
  ]).toEqual([true, true, true])
  const fields = parseOwnFields(
    {
      website: row.website,
      price_cents: row.priceCents,
      engine_compat: row.engineCompat,
      genres: row.genres,
      tags: row.tags,
      tone: row.tone,
      inputs: row.inputs,
      engines: row.engines,
      content_warnings: row.contentWarnings,
      session_bucket: row.sessionBucket,
      net: row.net,
      players_min: row.playersMin,
      players_max: row.playersMax,
      ai_uses: row.aiUses,
      authorship: row.authorship,
      authorship_credit: row.authorshipCredit,
    },
    { playersMin: null, playersMax: null },
  )
  expect(row).toMatchObject(fields)
  expect(row.modSettings !== null).toBe(MODDING_TYPES.includes(row.assetType))
  if (row.modSettings) expect(parseModSettings(row.modSettings)).toEqual(row.modSettings)
  expect(row.anonymousDownloads && row.priceCents !== 0).toBe(false)
}

describe.each(DEMO_LISTINGS.map((listing) => [listing.vanityName, listing]))('%s', (_, listing) => {
  test('could have been written on the website', () => {
    expectValid(gameRow(listing, known))
    if (listing.press) expect(parsePressKit(listing.press)).toMatchObject(listing.press)
    const links = listing.storeLinks ?? []
    expect(parseStoreLinks({ store_links: links })).toEqual([...links])
  })

  test('names only listings that it may name', () => {
    const { vanityName, parent, similar = [], uses = [], supports = [], madeWith = [] } = listing
    const dependencies = [...uses, ...supports, ...madeWith]
    expect(
      [...similar, ...dependencies].filter((name) => name === vanityName || !isPublic(name) || !find(name)),
    ).toEqual([])
    const kinds = { uses, supports, made_with: madeWith }
    for (const kind of DEPENDENCY_KINDS) {
      const { sources, targets } = DEPENDENCY_RULES[kind]
      if (kinds[kind].length > 0) expect(sources).toContain(listing.assetType)
      for (const name of kinds[kind])
        expect([name, targets.includes(find(name)?.assetType ?? 'mod')]).toEqual([name, true])
    }
    expect(similar.filter((name) => find(name)?.assetType !== 'game')).toEqual([])
    if (PARENT_RULES[listing.assetType] === 'none') expect(parent).toBeUndefined()
    if (typeof parent === 'string') expect(PARENT_TYPES).toContain(find(parent)?.assetType ?? 'mod')
  })
})

describe('the demo catalog', () => {
  test('has no name twice', () => {
    expect(new Set(DEMO_NAMES).size).toBe(DEMO_NAMES.length)
    expect(new Set(DEMO_LISTINGS.map(({ name }) => name)).size).toBe(DEMO_LISTINGS.length)
  })

  test('has one review by a player of a page, and tags that could be suggested', () => {
    for (const { reviews = [], suggestedTags = {}, hiddenTags = [] } of DEMO_LISTINGS) {
      expect(new Set(reviews.map(({ by }) => by)).size).toBe(reviews.length)
      expect(Object.keys(suggestedTags).filter((tag) => !isSlug(tag))).toEqual([])
      expect(hiddenTags.filter((tag) => !suggestedTags[tag])).toEqual([])
    }
  })

  test('has the pictures of its pages and tickets, small and 16:9, and no others', async () => {
    const wanted = [
      ...DEMO_LISTINGS.flatMap(({ vanityName, colours, screens = [] }) =>
        [vanityName, ...screens].map((name) => `${colours}/${name}.webp`),
      ),
      ...DEMO_TICKETS.flatMap(({ screen }) => (screen === undefined ? [] : `tickets/${screen}.webp`)),
    ]
    const paths = [...new Bun.Glob('**/*').scanSync(PICTURES)]
    expect(new Set(paths)).toEqual(new Set(wanted))
    for (const path of paths) {
      const file = Bun.file(join(PICTURES, path))
      expect(file.size).toBeLessThan(25_000)
      expect(await new Bun.Image(await file.bytes()).metadata()).toMatchObject({
        format: 'webp',
        width: 640,
        height: 360,
      })
    }
  })
})

describe('made-up listings', () => {
  test('could have been written on the website, too', () => {
    const today = new Date()
    for (let number = 0; number < 400; number += 1)
      expectValid({ website: null, ...inventListing(number, today).row })
  })

  test('do not depend on how many there are, nor on the day but for their dates', () => {
    const strip = (row: GameValues) =>
      Object.fromEntries(Object.entries(row).filter(([, value]) => !(value instanceof Date)))
    const [one, two] = [new Date('2026-01-01'), new Date('2027-06-30')]
    for (const number of [0, 77, 99_999]) {
      expect(strip(inventListing(number, one).row)).toEqual(strip(inventListing(number, two).row))
    }
  })
})
