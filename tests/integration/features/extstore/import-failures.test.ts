import { afterEach, beforeAll, describe, expect, mock, spyOn, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { extstoreLinks } from '../../../../src/db/schema/extstore.ts'
import { images, pressKits } from '../../../../src/db/schema/games/game-pages.ts'
import { games } from '../../../../src/db/schema/games/games.ts'
import type { PageImages } from '../../../../src/features/listings/images/model.ts'
import { reclaim } from '../../../../src/features/storage/reclaim.ts'
import { gamePage, type StoreFixture } from '../../../helpers/ext-store-double/fixture.ts'
import type { Fault } from '../../../helpers/ext-store-double/state.ts'
import {
  askImport,
  importedOf,
  preview,
  runImport,
  skippedOf,
  useImports,
  WEB_API_KEY,
} from '../../../helpers/extstore/imports.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { insertGame, insertPublicGame, LONG_TEXT } from '../../../helpers/listings.ts'
import type { Person } from '../../../helpers/people.ts'
import { waitFor } from '../../../helpers/wait.ts'

const world = useImports()

describe('all or nothing', () => {
  let person: Person
  afterEach(() => mock.restore())

  let nextAppId = 830_000

  function addApps(count: number, changes: Record<string, unknown> = {}): number[] {
    const ids = Array.from({ length: count }, () => (nextAppId += 1))
    for (const id of ids) {
      // Of a size of its own: a picture that is stored already would not be stored again.
      const pictures = { 'ss_one.1920x1080.jpg': [id - 828_700, 720] } as const
      const page = gamePage(id, `Lantern ${id}`, changes)
      world.double.addApp({ ...page, pictures: { ...page.pictures, ...pictures } })
    }
    world.double.addKey(WEB_API_KEY, ids)
    return ids
  }

  /** Everything an import writes, of one listing. */
  async function snapshot(gameUid: string): Promise<unknown[]> {
    const { db } = world.server.deps
    return await Promise.all([
      db.select().from(games).where(eq(games.uid, gameUid)),
      db.select().from(images).where(eq(images.gameUid, gameUid)),
      db.select().from(pressKits).where(eq(pressKits.gameUid, gameUid)),
      db.select().from(extstoreLinks).where(eq(extstoreLinks.gameUid, gameUid)),
    ])
  }

  /** Objects that no row names, after the sweep has come by. */
  async function findOrphans(): Promise<string[]> {
    const { deps } = world.server
    await reclaim(deps, new Date(Date.now() + 25 * 60 * 60 * 1000), new AbortController().signal)
    const rows = await deps.db.select({ key: images.objectKey }).from(images)
    const named = new Set(rows.map(({ key }) => key))
    const kept = await Array.fromAsync(deps.objects.list('images/'))
    return kept.map(({ key }) => key).filter((key) => !named.has(key))
  }

  describe('all or nothing', () => {
    test('an import that would make a public page fail its check is 422/4225 with the report', async () => {
      person = await world.signUpDeveloper()
      const game = await insertPublicGame(world.server, person)
      const before = await snapshot(game.uid)
      const [app_id] = addApps(1)
      const failure = await readFailure<{ lint: { errors: { code: string }[] } }>(
        await askImport(person, { app_id, game_uid: game.uid, enable_auth: true }),
      )
      expect(failure).toMatchObject({ status: 422, code: 4225 })
      expect(failure.data.lint.errors.map(({ code }) => code)).toEqual(['description_short'])
      expect(await snapshot(game.uid)).toEqual(before)
      expect(await findOrphans()).toEqual([])
    })

    test('a public page takes an import that passes the check', async () => {
      const game = await insertPublicGame(world.server, person)
      const [app_id] = addApps(1, { detailed_description: `<p>${LONG_TEXT}</p>` })
      expect((await askImport(person, { app_id, game_uid: game.uid })).status).toBe(200)
      const shown = await world.server.fetch(`/api/v1/public/games/${game.uid}`)
      expect(await shown.json()).toMatchObject({ data: { name: `Lantern ${app_id}` } })
    })

    test('a picture that cannot be stored: nothing is imported', async () => {
      const game = await insertGame(world.server, person)
      const before = await snapshot(game.uid)
      const [app_id] = addApps(1)
      const { objects } = world.server.deps
      const put = objects.put.bind(objects)
      let calls = 0
      spyOn(objects, 'put').mockImplementation(async (...given) => {
        calls += 1
        if (calls === 2) throw new Error('The disk is full')
        return await put(...given)
      })
      expect((await askImport(person, { app_id, game_uid: game.uid })).status).toBe(500)
      mock.restore()
      expect(await snapshot(game.uid)).toEqual(before)
      expect(await findOrphans()).toEqual([])
    })

    test('a failure at the very end: neither a draft nor a link stays, and the app is free again', async () => {
      const owner = await world.signUpDeveloper()
      const [app_id] = addApps(1)
      spyOn(world.server.deps.keyring, 'encrypt').mockImplementation(() => {
        throw new Error('No key')
      })
      expect((await askImport(owner, { app_id, enable_auth: true })).status).toBe(500)
      mock.restore()
      const { db } = world.server.deps
      expect(await db.select().from(games).where(eq(games.ownerUid, owner.uid))).toEqual([])
      expect(await findOrphans()).toEqual([])
      expect((await askImport(owner, { app_id, enable_auth: true })).status).toBe(201)
    })
  })

  describe('at once', () => {
    test('two imports of one app: one makes the listing, the other is 409/4242', async () => {
      for (const app_id of addApps(3)) {
        const [one, two] = [await world.signUpDeveloper(), await world.signUpDeveloper()]
        const answers = await Promise.all([one, two].map((who) => askImport(who, { app_id })))
        expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409])
        const refused = answers.find(({ status }) => status === 409)
        expect(refused && (await readFailure(refused))).toMatchObject({ code: 4242 })
        const { db } = world.server.deps
        const links = db.select().from(extstoreLinks).where(eq(extstoreLinks.appId, app_id))
        expect(await links).toHaveLength(1)
      }
    })

    test('two apps into one listing: one is imported whole, the other not at all', async () => {
      const owner = await world.signUpDeveloper()
      const game = await insertGame(world.server, owner)
      const ids = addApps(2)
      const answers = await Promise.all(ids.map((app_id) => askImport(owner, { app_id, game_uid: game.uid })))
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
      const winner = ids[answers.findIndex(({ status }) => status === 200)]
      expect(await snapshot(game.uid)).toMatchObject([
        [{ name: `Lantern ${winner}` }],
        expect.arrayContaining([expect.objectContaining({ kind: 'cover' })]),
        [{ kit: { website: `https://lantern-.example.org/` } }],
        [{ appId: winner }],
      ])
    })
  })
})

describe('pictures', () => {
  let person: Person
  beforeAll(async () => {
    person = await world.signUpDeveloper()
  })
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
})
