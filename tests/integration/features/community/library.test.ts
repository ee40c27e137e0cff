import { describe, expect, test } from 'bun:test'

import { and, eq } from 'drizzle-orm'

import { licenses } from '../../../../src/db/schema/games/game-players.ts'
import { games } from '../../../../src/db/schema/games/games.ts'
import { readData, readFailure, readJson } from '../../../helpers/json.ts'
import {
  insertAdmin,
  insertGame,
  insertLicense,
  insertPublicGame,
  setPlayMinutes,
} from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)
const player = usePerson(server)

interface Item {
  game: { uid: string; name: string; cover: { url: string } | null }
  source: string
  since: string
  play_minutes: number
  beta: boolean
  removed_at: string | null
}

interface Library {
  items: Item[]
  total: number
}

const LIBRARY = '/api/v1/private/library'
const claim = (person: Person, ref: string) => person.json('POST', `/api/v1/private/games/${ref}/claim`)
const beta = (person: Person, method: 'POST' | 'DELETE', ref: string) =>
  person.json(method, `/api/v1/private/games/${ref}/beta`)
const readLibrary = async (person: Person, query = '') =>
  await readData<Library>(await person.fetch(LIBRARY + query))

async function hide(gameUid: string, visibility: 'draft' | 'owner'): Promise<void> {
  await server.deps.db.update(games).set({ visibility }).where(eq(games.uid, gameUid))
}

describe('claiming', () => {
  test('gives a licence for a free public listing: 201, and 200 again', async () => {
    const game = await insertPublicGame(server, owner)
    const first = await claim(player, game.vanityName)
    expect(first.status).toBe(201)
    const item = await readData<Item>(first)
    expect(item).toMatchObject({
      game: {
        uid: game.uid,
        vanity_name: game.vanityName,
        name: game.name,
        asset_type: 'game',
        url: `${server.deps.config.baseUrl}/games/${game.vanityName}`,
        cover: { kind: 'cover', width: 1280, height: 720 },
      },
      source: 'claimed',
      play_minutes: 0,
      beta: false,
    })
    expect(item.since).toMatch(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/)
    const again = await claim(player, game.uid)
    expect(again.status).toBe(200)
    expect(await readData<Item>(again)).toEqual(item)
  })

  test('a paid listing is 402/4023 and tells where to buy it for how much', async () => {
    const game = await insertPublicGame(server, owner, { priceCents: 499 })
    const answer = await claim(player, game.uid)
    expect(answer.status).toBe(402)
    expect(await readJson<unknown>(answer)).toMatchObject({
      error: { code: 4023 },
      data: {
        browse_url: `${server.deps.config.baseUrl}/games/${game.vanityName}`,
        price_cents: 499,
      },
    })
    expect((await readLibrary(player)).items.map((item) => item.game.uid)).not.toContain(game.uid)
  })

  test('who has a licence keeps it when the listing gets a price', async () => {
    const game = await insertPublicGame(server, owner)
    await claim(player, game.uid)
    await server.deps.db.update(games).set({ priceCents: 499 }).where(eq(games.uid, game.uid))
    expect((await claim(player, game.uid)).status).toBe(200)
  })

  test('so does a free invisible listing, to whoever has its link; a paid one must be bought', async () => {
    const game = await insertGame(server, owner, { visibility: 'invisible' })
    const first = await claim(player, game.vanityName)
    expect(first.status).toBe(201)
    expect(await readData<Item>(first)).toMatchObject({ game: { name: game.name }, removed_at: null })
    expect((await claim(player, game.uid)).status).toBe(200)
    const paid = await insertGame(server, owner, { visibility: 'invisible', priceCents: 100 })
    expect(await readFailure(await claim(player, paid.uid))).toMatchObject({ status: 402, code: 4023 })
  })

  test.each(['draft', 'owner'] as const)(
    'a listing that is %s answers everyone as if it were missing',
    async (visibility) => {
      const game = await insertGame(server, owner, { visibility })
      const admin = await signUp(server)
      await insertAdmin(server, game.uid, admin, 'accepted')
      const missing = await (await claim(player, 'no-such-listing')).text()
      for (const person of [owner, admin, player]) {
        const answer = await claim(person, game.uid)
        expect(answer.status).toBe(404)
        expect(await answer.text()).toBe(missing)
      }
      expect(await readFailure(await claim(player, game.uid))).toMatchObject({ status: 404, code: 4040 })
    },
  )

  test('twenty claims at once make one licence', async () => {
    const game = await insertPublicGame(server, owner)
    const answers = await Promise.all(Array.from({ length: 20 }, () => claim(player, game.uid)))
    const made = answers.filter(({ status }) => status === 201)
    const found = answers.filter(({ status }) => status === 200)
    expect([made.length, found.length]).toEqual([1, 19])
    expect(await server.deps.db.$count(licenses, eq(licenses.gameUid, game.uid))).toBe(1)
  })

  test('needs a signed-in player', async () => {
    const answer = await server.fetch('/api/v1/private/games/any/claim', { method: 'POST' })
    expect(await readFailure(answer)).toMatchObject({ status: 401, code: 4010 })
  })
})

describe('the library', () => {
  test('lists licences newest first, in pages, each player their own', async () => {
    const collector = await signUp(server)
    const made: string[] = []
    for (let day = 1; day <= 3; day += 1) {
      const game = await insertPublicGame(server, owner)
      const createdAt = new Date(Date.UTC(2026, 0, day))
      await insertLicense(server, game.uid, collector, { createdAt, source: 'granted', beta: day === 2 })
      await setPlayMinutes(server, game.uid, collector, day * 30)
      made.unshift(game.uid)
    }
    const all = await readLibrary(collector)
    expect(all).toMatchObject({ total: 3, page: 1, page_size: 20 })
    expect(all.items.map((item) => item.game.uid)).toEqual(made)
    expect(all.items.map((item) => item.play_minutes)).toEqual([90, 60, 30])
    expect(all.items[1]).toMatchObject({ source: 'granted', since: '2026-01-02T00:00:00.000Z', beta: true })
    expect(all.items[0]?.game.cover?.url).toStartWith(server.deps.config.baseUrl)

    const second = await readLibrary(collector, '?page=2&page_size=2')
    expect(second).toMatchObject({ total: 3, page: 2, page_size: 2 })
    expect(second.items.map((item) => item.game.uid)).toEqual(made.slice(2))
    expect(await readLibrary(await signUp(server))).toMatchObject({ items: [], total: 0 })
  })

  test.each(['draft', 'owner'] as const)(
    'keeps a game whose page went %s, and tells only its name',
    async (visibility) => {
      const keeper = await signUp(server)
      const game = await insertPublicGame(server, owner)
      await claim(keeper, game.uid)
      await hide(game.uid, visibility)
      const { items, total } = await readLibrary(keeper)
      expect(total).toBe(1)
      expect(items[0]?.game).toEqual({
        uid: game.uid,
        vanity_name: null,
        name: game.name,
        asset_type: null,
        url: null,
        cover: null,
      } as never)
    },
  )
})

describe('a deleted listing', () => {
  const remove = async (game: { uid: string }) => {
    await hide(game.uid, 'draft')
    const answer = await owner.json('DELETE', `/api/v1/private/games/${game.uid}`)
    expect(answer.status).toBe(200)
  }

  test('stays in the library with its name and the date of its removal', async () => {
    const keeper = await signUp(server)
    const [game, other] = [await insertPublicGame(server, owner), await insertPublicGame(server, owner)]
    await claim(keeper, game.uid)
    await claim(keeper, other.uid)
    const before = new Date()
    await remove(game)
    const { items, total } = await readLibrary(keeper, `?sort=name&q=${encodeURIComponent(game.name)}`)
    expect(items.length).toBe(total)
    const item = items.find((each) => each.game.uid === game.uid)
    expect(item).toMatchObject({
      game: { uid: game.uid, name: game.name, vanity_name: null, asset_type: null, url: null, cover: null },
      source: 'claimed',
    })
    expect(Date.parse(item?.removed_at ?? '')).toBeGreaterThanOrEqual(before.getTime() - 1000)
    expect((await readLibrary(keeper)).total).toBe(2)
    const page = await (await keeper.fetch('/library')).text()
    expect(page).toContain(game.name)
    expect(page).toContain('Removed from the store on')
    expect(page).not.toContain(`/games/${game.vanityName}`)
    expect((await claim(keeper, game.uid)).status).toBe(404)
    expect((await keeper.json('POST', `/api/v1/private/games/${game.uid}/beta`)).status).toBe(404)
  })

  test('is not given to anyone while it is deleted', async () => {
    const keeper = await signUp(server)
    const game = await insertPublicGame(server, owner)
    const [answer] = await Promise.all([claim(keeper, game.uid), remove(game)])
    const { items } = await readLibrary(keeper)
    expect(items.map(({ removed_at }) => removed_at === null)).toEqual(answer.ok ? [false] : [])
  })
})

describe('the beta', () => {
  const isInBeta = async (gameUid: string) => {
    const [row] = await server.deps.db
      .select()
      .from(licenses)
      .where(and(eq(licenses.gameUid, gameUid), eq(licenses.userUid, player.uid)))
    return row?.beta
  }

  test('is joined and left by licence holders, as often as they like', async () => {
    const game = await insertPublicGame(server, owner)
    await claim(player, game.uid)
    for (let turn = 0; turn < 2; turn += 1) {
      const answer = await beta(player, 'POST', game.uid)
      expect(answer.status).toBe(200)
      expect(await readData<Item>(answer)).toMatchObject({ game: { uid: game.uid }, beta: true })
    }
    expect(await isInBeta(game.uid)).toBe(true)
    for (let turn = 0; turn < 2; turn += 1) {
      const answer = await beta(player, 'DELETE', game.vanityName)
      expect(answer.status).toBe(200)
      expect(await answer.json()).toEqual({ success: true, data: {} })
    }
    expect(await isInBeta(game.uid)).toBe(false)
  })

  test.each(['POST', 'DELETE'] as const)('%s without a licence is 403/4030', async (method) => {
    const game = await insertPublicGame(server, owner)
    for (const person of [player, owner]) {
      const failure = await readFailure(await beta(person, method, game.uid))
      expect(failure).toMatchObject({ status: 403, code: 4030 })
      expect(failure.message).toContain('licence')
    }
  })
})
