import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'

import type { PageImages } from '../../../../src/features/listings/images/model.ts'
import { gamePage, type StoreFixture } from '../../../helpers/ext-store-double/fixture.ts'
import type { Fault } from '../../../helpers/ext-store-double/state.ts'
import {
  importedOf,
  type ImportWorld,
  preview,
  runImport,
  skippedOf,
  startImportWorld,
  WEB_API_KEY,
} from '../../../helpers/extstore/imports.ts'
import { readData } from '../../../helpers/json.ts'
import type { Person } from '../../../helpers/people.ts'
import { waitFor } from '../../../helpers/wait.ts'

let world: ImportWorld
let person: Person
beforeAll(async () => {
  world = await startImportWorld()
  person = await world.signUpDeveloper()
})
afterAll(() => world.stop())
afterEach(() => world.double.heal())

let nextAppId = 840_000

function addApp(changes: Record<string, unknown> = {}, more: Partial<StoreFixture> = {}): number {
  nextAppId += 1
  world.double.addApp({ ...gamePage(nextAppId, `Lantern ${nextAppId}`, changes), ...more })
  world.double.addKey(WEB_API_KEY, [nextAppId])
  return nextAppId
}

const NONE = ['cover', 'thumbnail', 'gallery'].map(
  (field) => `${field}: The store page has no screenshot of at least 1280×720.`,
)

test.each([
  ['500', 'The server responded with 500.'],
  ['half', 'The server cannot be reached.'],
  ['not_json', 'The file must be a PNG, JPEG or WebP image.'],
  ['null', 'The file must be a PNG, JPEG or WebP image.'],
] satisfies [Fault, string][])(
  'a first picture that fails with %s is skipped, the rest is imported',
  async (fault, reason) => {
    const app_id = addApp()
    world.double.fail('image', fault, 1)
    const { report, game_uid } = await runImport(await world.signUpDeveloper(), {
      app_id,
      groups: ['images', 'status'],
    })
    expect(skippedOf(report)).toHaveLength(1)
    expect(skippedOf(report)[0]).toMatch(/^gallery: Screenshot [123]: /)
    expect(skippedOf(report)[0]).toEndWith(reason)
    expect(importedOf(report)).toMatchObject({ status: 'released' })
    expect(importedOf(report)['gallery']).toHaveLength(2)
    expect(game_uid).toBeString()
  },
)

test.each(['500', 'reset'] satisfies Fault[])(
  'where every picture fails with %s, the rest is imported',
  async (fault) => {
    const app_id = addApp()
    world.double.fail('image', fault)
    const { report, game_uid } = await runImport(person, { app_id })
    expect(skippedOf(report)).toEqual(expect.arrayContaining(NONE))
    expect(importedOf(report)).toMatchObject({ status: 'released', price_cents: 1999 })
    const page = await readData<PageImages>(await person.fetch(`/api/v1/private/games/${game_uid}/images`))
    expect(page).toEqual({ cover: null, thumbnail: null, gallery: [] })
  },
)

test.each([
  'http://127.0.0.1:9/x.jpg',
  'http://169.254.169.254/latest/meta-data',
  'http://[::1]:9/x.jpg',
  'http://localhost:9/x.jpg',
])('a picture at an inside address is not fetched: %s', async (path_full) => {
  const app_id = addApp({ screenshots: [{ id: 0, path_full }] })
  const skipped = skippedOf(await preview(person, { app_id, groups: ['images'] }))
  expect(skipped.slice(-3)).toEqual(NONE)
  expect(skipped).toHaveLength(4)
})

test('screenshots are measured by their real size, and only so many are looked at', async () => {
  const names = Array.from({ length: 30 }, (_, id) => `ss_${id}`)
  const app_id = addApp(
    {
      screenshots: names.map((name, id) => ({
        id,
        path_full: `https://shared.akamai.steamstatic.com/store_item_assets/steam/apps/${nextAppId + 1}/${name}.1920x1080.jpg`,
      })),
    },
    {
      pictures: Object.fromEntries(
        names.map((name, id) => [`${name}.1920x1080.jpg`, id === 20 ? [1300, 800] : [600, 338]] as const),
      ),
    },
  )
  const shown = await preview(person, { app_id, groups: ['images'] })
  expect(shown.screenshots).toEqual([
    { url: expect.stringContaining('/ss_20.1920x1080.jpg'), width: 1300, height: 800 },
  ])
  expect(skippedOf(shown)).toHaveLength(24)
  expect(skippedOf(shown).at(-1)).toBe('gallery: 6 more were skipped: only 24 are considered.')
})

test('a server that does not send its pictures keeps no other account waiting', async () => {
  const app_id = addApp()
  const imagesAsked = () => world.double.requests.filter(({ point }) => point === 'image').length
  const before = imagesAsked()
  world.double.fail('image', 'hang', 6)
  const people = await Promise.all([world.signUpDeveloper(), world.signUpDeveloper()])
  const slow = Promise.all(people.map((maker) => preview(maker, { app_id, groups: ['images'] })))
  await waitFor('six pictures hang', async () => imagesAsked() - before === 6)
  const quick = preview(await world.signUpDeveloper(), { app_id, groups: ['images'] })
  const first = await Promise.race([quick, slow])
  expect(first).toMatchObject({ screenshots: { length: 3 } })
  await slow
})
