import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { type ExtStoreDouble, startExtStoreDouble } from '../../../helpers/ext-store-double/double.ts'
import { readFailure } from '../../../helpers/json.ts'
import { type Person, randomAddress, signUp } from '../../../helpers/people.ts'
import { startTestServer, type TestServer } from '../../../helpers/server.ts'
import { insertSignInGame, type SignInGame } from '../../../helpers/site/sign-in.ts'

let server: TestServer
let double: ExtStoreDouble
let owner: Person
beforeAll(async () => {
  double = await startExtStoreDouble()
  server = await startTestServer({ TRUST_PROXY: '1', ...double.env })
  owner = await signUp(server)
})
afterAll(async () => {
  await server.stop()
  await double.stop()
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
