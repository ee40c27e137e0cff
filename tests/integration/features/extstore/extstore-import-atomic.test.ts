import { afterAll, afterEach, beforeAll, describe, expect, mock, spyOn, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { extstoreLinks } from '../../../../src/db/schema/extstore.ts'
import { images, pressKits } from '../../../../src/db/schema/games/game-pages.ts'
import { games } from '../../../../src/db/schema/games/games.ts'
import { reclaim } from '../../../../src/features/storage/reclaim.ts'
import { gamePage } from '../../../helpers/ext-store-double/fixture.ts'
import {
  askImport,
  type ImportWorld,
  startImportWorld,
  WEB_API_KEY,
} from '../../../helpers/extstore/imports.ts'
import { readFailure } from '../../../helpers/json.ts'
import { insertGame, insertPublicGame, LONG_TEXT } from '../../../helpers/listings.ts'
import type { Person } from '../../../helpers/people.ts'

let world: ImportWorld
let person: Person
beforeAll(async () => {
  world = await startImportWorld()
})
afterAll(() => world.stop())
afterEach(() => mock.restore())

let nextAppId = 830_000

function addApps(count: number, changes: Record<string, unknown> = {}): number[] {
  const ids = Array.from({ length: count }, () => (nextAppId += 1))
  for (const id of ids) {
    // Of a size of its own: a picture that is stored already would not be stored again.
    const pictures = { 'ss_one.1920x1080.jpg': [id - 828_000, 900] } as const
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
  const kept = await Array.fromAsync(deps.store.list('images/'))
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
    const { store } = world.server.deps
    const put = store.put.bind(store)
    let calls = 0
    spyOn(store, 'put').mockImplementation(async (...given) => {
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
