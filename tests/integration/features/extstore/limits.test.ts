import { afterEach, beforeAll, describe, expect, test } from 'bun:test'

import { LIMITS } from '../../../../src/domain/limit-table.ts'
import { DAY_MS } from '../../../../src/lib/time.ts'
import { gamePage } from '../../../helpers/ext-store-double/fixture.ts'
import {
  askImport,
  askPreview,
  useExtstore,
  useImports,
  WEB_API_KEY,
} from '../../../helpers/extstore/imports.ts'
import { readFailure } from '../../../helpers/json.ts'
import { insertGame } from '../../../helpers/listings.ts'
import { asPerson, type Person, randomAddress, signUp } from '../../../helpers/people.ts'
import { startTwin } from '../../../helpers/server.ts'
import { insertSignInGame, type SignInGame } from '../../../helpers/site/sign-in.ts'

describe('limits of imports', () => {
  const world = useImports()
  afterEach(() => world.double.heal())

  let nextAppId = 820_000

  /** Imports into a listing of its own; only the status, so that it is quick. */
  async function prepare(person: Person): Promise<{ body: object; uid: string }> {
    nextAppId += 1
    world.double.addApp(gamePage(nextAppId, `Lantern ${nextAppId}`))
    world.double.addKey(WEB_API_KEY, [nextAppId])
    const { uid } = await insertGame(world.server, person)
    return { body: { app_id: nextAppId, game_uid: uid, groups: ['status'] }, uid }
  }

  const resync = (person: Person, uid: string) =>
    person.json('POST', `/api/v1/private/games/${uid}/steam/resync`, {
      web_api_key: WEB_API_KEY,
      groups: ['status'],
    })

  describe('limits', () => {
    test('10 imports or resyncs a day for an account, also when they come at once', async () => {
      const person = await world.signUpDeveloper()
      const { body, uid } = await prepare(person)
      const first = await askImport(person, body)
      expect(first.headers.get('ratelimit-remaining')).toBe('9')
      const rest = await Promise.all(
        Array.from({ length: 14 }, (_, index) =>
          index % 2 === 0 ? askImport(person, body) : resync(person, uid),
        ),
      )
      const statuses = [first, ...rest].map(({ status }) => status)
      expect(statuses.filter((status) => status === 200)).toHaveLength(10)
      expect(statuses.filter((status) => status === 429)).toHaveLength(5)
      const refused = await askImport(person, body)
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(80_000)
      expect(await readFailure(refused)).toMatchObject({ status: 429, code: 4290 })

      const other = await world.signUpDeveloper()
      expect((await askImport(other, (await prepare(other)).body)).status).toBe(200)
    })

    test('an import into a new draft counts as a new project; one into a listing does not', async () => {
      const person = await world.signUpDeveloper()
      for (let count = 0; count < LIMITS.new_project.max; count += 1) {
        const created = await person.json('POST', '/api/v1/private/games', {
          name: 'Lamp',
          asset_type: 'game',
        })
        expect(created.status).toBe(201)
      }
      const { body } = await prepare(person)
      const refused = await readFailure(await askImport(person, { ...body, game_uid: null }))
      expect(refused).toMatchObject({ status: 429, code: 4290 })
      expect(refused.message).toStartWith('You can start 10 projects an hour.')
      expect((await askImport(person, body)).status).toBe(200)
    })

    test('only imports that reached the store count; a key that does not fit reached it', async () => {
      const person = await world.signUpDeveloper()
      const { body } = await prepare(person)
      const remaining = async () => (await askImport(person, body)).headers.get('ratelimit-remaining')
      expect(await remaining()).toBe('9')
      for (let tries = 0; tries < 5; tries += 1) {
        expect((await askImport(person, { ...body, groups: [] })).status).toBe(400)
        expect((await askImport(person, { ...body, game_uid: 'nobodys' })).status).toBe(404)
      }
      world.double.fail('appList', '500')
      for (let tries = 0; tries < 10; tries += 1) expect((await askImport(person, body)).status).toBe(502)
      world.double.heal()
      expect(await remaining()).toBe('8')
      expect((await askImport(person, { ...body, web_api_key: 'F'.repeat(32) })).status).toBe(403)
      expect(await remaining()).toBe('6')
    })

    test('survive a restart, and say when they end', async () => {
      const person = await world.signUpDeveloper()
      const { body } = await prepare(person)
      expect((await askImport(person, body)).headers.get('ratelimit-remaining')).toBe('9')
      const again = await startTwin(world.server, world.double.env)
      try {
        const there = asPerson(again, person)
        expect((await askImport(there, body)).headers.get('ratelimit-remaining')).toBe('8')
        for (let made = 0; made < 8; made += 1) expect((await askImport(there, body)).status).toBe(200)
      } finally {
        await again.stop()
      }
      const { message } = await readFailure(await askImport(person, body))
      const [, end = ''] =
        /^The limit of 10 a day is reached\. Try again after (.+ UTC)\.$/.exec(message) ?? []
      const left = Date.parse(end) - Date.now()
      expect(left).toBeGreaterThan(23 * 60 * 60 * 1000)
      expect(left).toBeLessThan(24 * 60 * 60 * 1000 + 60_000)
    })

    test('do not count malformed requests', async () => {
      const person = await world.signUpDeveloper()
      const { body } = await prepare(person)
      const wrong = [{ groups: [] }, { app_id: 'no app' }, { groups: 'status' }, { web_api_key: 'short' }]
      for (const fault of wrong) {
        expect((await askPreview(person, { ...body, ...fault })).status).toBe(400)
        expect((await askImport(person, { ...body, ...fault })).status).toBe(400)
      }
      expect((await askPreview(person, body)).headers.get('ratelimit-remaining')).toBe('59')
      expect(await world.server.deps.rates.add(`import_attempt:${person.uid}`, DAY_MS)).toMatchObject({
        count: 1,
      })
    })

    test('60 previews a day for an account', async () => {
      const person = await world.signUpDeveloper()
      const { body } = await prepare(person)
      for (let made = 0; made < 6; made += 1) {
        const answers = await Promise.all(Array.from({ length: 10 }, () => askPreview(person, body)))
        expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200))
      }
      const refused = await askPreview(person, body)
      expect(refused.headers.get('ratelimit-limit')).toBe('60')
      expect(await readFailure(refused)).toMatchObject({ status: 429, code: 4290 })
      expect((await askImport(person, body)).status).toBe(200)
    })
  })
})

describe('limits of sign-in', () => {
  const { server, double } = useExtstore()
  let owner: Person
  beforeAll(async () => {
    owner = await signUp(server)
  })

  const TOO_MANY = { status: 429, code: 4290 }

  function post(ref: string, route: string, body: object, headers: Record<string, string> = {}) {
    return server.fetch(`/api/v1/extstore/${ref}${route}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': randomAddress(), ...headers },
      body: JSON.stringify(body),
    })
  }

  /** As if so many requests had come before. */
  async function spend(row: string, game: SignInGame, count: number): Promise<void> {
    for (let nth = 0; nth < count; nth += 1) await server.deps.rates.add(`${row}:${game.gameUid}`, 60_000)
  }

  describe('auth and refresh', () => {
    test('share 60 a minute per address, whatever the game', async () => {
      const games = [
        await insertSignInGame(server, double, owner),
        await insertSignInGame(server, double, owner),
      ]
      const from = { 'x-forwarded-for': '10.60.0.1' }
      for (let nth = 0; nth < 60; nth += 1) {
        const { gameUid = '' } = games[nth % 2] ?? {}
        const answer =
          nth % 3 === 0
            ? await post(gameUid, '/refresh', { token: 'x' }, from)
            : await post(gameUid, '/auth', { ticket: 'x' }, from)
        expect([400, 401]).toContain(answer.status)
        expect(answer.headers.get('ratelimit-remaining')).toBe(String(59 - nth))
      }
      const { gameUid = '' } = games[0] ?? {}
      const over = await post(gameUid, '/auth', { ticket: 'x' }, from)
      expect(over.headers.get('retry-after')).toBeTruthy()
      expect(await readFailure(over)).toMatchObject(TOO_MANY)
      expect(await readFailure(await post(gameUid, '/refresh', { token: 'x' }, from))).toMatchObject(TOO_MANY)
      expect((await post(gameUid, '/auth', { ticket: 'x' })).status).toBe(400)
    })

    test('share 1,200 a minute per game, under all of its names', async () => {
      const game = await insertSignInGame(server, double, owner)
      await spend('extstore_sign_in_game', game, 1197)
      for (const ref of [game.gameUid, game.gameUid.toUpperCase(), game.vanityName]) {
        expect((await post(ref, '/auth', { ticket: 'x' })).status).toBe(400)
      }
      for (const ref of [game.gameUid, game.gameUid.toUpperCase(), game.vanityName]) {
        expect(await readFailure(await post(ref, '/auth', { ticket: 'x' }))).toMatchObject(TOO_MANY)
        expect(await readFailure(await post(ref, '/refresh', { token: 'x' }))).toMatchObject(TOO_MANY)
      }
      const other = await insertSignInGame(server, double, owner)
      expect((await post(other.gameUid, '/auth', { ticket: 'x' })).status).toBe(400)
    })
  })

  describe('server routes', () => {
    test('have 1,200 a minute per game, under all of its names', async () => {
      const game = await insertSignInGame(server, double, owner)
      const key = { authorization: `Bearer ${game.authKey}` }
      await spend('extstore_server', game, 1198)
      expect((await post(game.gameUid, '/server/verify', { token: 'x' }, key)).status).toBe(422)
      expect((await post(game.vanityName, '/server/revoke', { jti: 'x' }, key)).status).toBe(200)
      for (const ref of [game.gameUid, game.vanityName]) {
        const answer = await post(ref, '/server/verify', { token: 'x' }, key)
        expect(await readFailure(answer)).toMatchObject(TOO_MANY)
      }
    })

    test('take 30 wrong keys a minute per address, then 429; the right key still works', async () => {
      const games = [
        await insertSignInGame(server, double, owner),
        await insertSignInGame(server, double, owner),
      ]
      const from = { 'x-forwarded-for': '10.60.0.2' }
      const guess = (nth: number) =>
        post(
          games[nth % 2]?.gameUid ?? '',
          '/server/verify',
          { token: 'x' },
          { ...from, authorization: 'Bearer no' },
        )
      for (let nth = 0; nth < 30; nth += 1) {
        expect(await readFailure(await guess(nth))).toMatchObject({ status: 401, code: 4249 })
      }
      expect(await readFailure(await guess(0))).toMatchObject(TOO_MANY)
      for (const { gameUid, authKey } of games) {
        const right = { ...from, authorization: `Bearer ${authKey}` }
        expect((await post(gameUid, '/server/verify', { token: 'x' }, right)).status).toBe(422)
      }
    })
  })
})
