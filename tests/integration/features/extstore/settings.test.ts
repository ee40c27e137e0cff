import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { extstoreLinks } from '../../../../src/db/schema/extstore.ts'
import type { Settings } from '../../../../src/features/extstore/link/model.ts'
import { linkApp } from '../../../../src/features/extstore/link/service.ts'
import { type ExtStoreDouble, startExtStoreDouble } from '../../../helpers/ext-store-double/double.ts'
import { useExtstore } from '../../../helpers/extstore/imports.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { insertGame } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { type LoggedServer, startLoggedServer } from '../../../helpers/processes/logged-server.ts'
import {
  asSignInGame,
  insertSignInGame,
  newExtstoreId,
  type SignInGame,
} from '../../../helpers/site/sign-in.ts'

describe('settings', () => {
  let server: LoggedServer
  let double: ExtStoreDouble
  let owner: Person
  beforeAll(async () => {
    double = await startExtStoreDouble()
    server = await startLoggedServer({ TRUST_PROXY: '1', ...double.env })
    owner = await signUp(server)
  })
  afterAll(async () => {
    await server.stop()
    await double.stop()
  })

  let apps = 5000
  const KEY = '0123456789ABCDEF0123456789ABCDEF'
  const OTHER_KEY = 'FEDCBA9876543210FEDCBA9876543210'

  const pathOf = (uid: string, rest = '') => `/api/v1/private/games/${uid}/steam${rest}`
  const send = (method: string, uid: string, rest = '', body?: object) =>
    owner.json(method, pathOf(uid, rest), body)
  const read = async (uid: string) => await readData<Settings>(await owner.fetch(pathOf(uid)))
  const readAuthKey = async (uid: string) =>
    (await readData<{ auth_key: string }>(await owner.fetch(pathOf(uid, '/auth-key')))).auth_key
  const rowOf = async (uid: string) => {
    const [row] = await server.deps.db.select().from(extstoreLinks).where(eq(extstoreLinks.gameUid, uid))
    return row
  }
  async function linkedGame() {
    apps += 1
    const game = await insertGame(server, owner)
    await server.deps.db.transaction((tx) => linkApp(tx, game.uid, apps))
    double.addKey(
      KEY,
      Array.from({ length: apps - 4999 }, (_, nth) => 5000 + nth),
    )
    return { ...game, appId: apps }
  }

  describe('the settings', () => {
    test('of a linked listing, before sign-in is turned on', async () => {
      const { uid, appId } = await linkedGame()
      const routes = `${server.url}/api/v1/extstore/${uid}`
      expect(await read(uid)).toEqual({
        app_id: String(appId),
        enabled: false,
        auth_key_last4: null,
        ticket_key: null,
        has_web_api_key: false,
        urls: {
          auth: `${routes}/auth`,
          refresh: `${routes}/refresh`,
          verify: `${routes}/server/verify`,
          revoke: `${routes}/server/revoke`,
          ownership: `${routes}/server/ownership/{extstore_id}`,
        },
        linked_at: expect.stringMatching(/Z$/),
        last_sync_at: null,
      })
    })

    const changes = [
      ['GET', '', undefined],
      ['DELETE', '', undefined],
      ['POST', '/enable', { web_api_key: KEY }],
      ['POST', '/disable', undefined],
      ['GET', '/auth-key', undefined],
      ['POST', '/auth-key', undefined],
      ['POST', '/ticket-key', undefined],
      ['PUT', '/web-api-key', { web_api_key: KEY }],
    ] as const
    test.each(changes)('of a listing that is not linked: %s %s is 404/4244', async (method, rest, body) => {
      const { uid } = await insertGame(server, owner)
      expect(await readFailure(await send(method, uid, rest, body))).toMatchObject({
        status: 404,
        code: 4244,
      })
    })

    const needOn = [
      ['GET', '/auth-key', undefined],
      ['POST', '/auth-key', undefined],
      ['POST', '/ticket-key', undefined],
      ['PUT', '/web-api-key', { web_api_key: KEY }],
    ] as const
    test.each(needOn)('while sign-in is off: %s %s is 404/4245', async (method, rest, body) => {
      const { uid } = await linkedGame()
      expect(await readFailure(await send(method, uid, rest, body))).toMatchObject({
        status: 404,
        code: 4245,
      })
      expect(await rowOf(uid)).toMatchObject({ authKey: null, ticketKey: null, webApiKey: null })
    })

    test('are written down in the log whenever a key is seen or changed: who, which game, what', async () => {
      const { uid } = await linkedGame()
      await send('POST', uid, '/enable', { web_api_key: KEY })
      const shown = [await readAuthKey(uid)]
      await send('POST', uid, '/auth-key')
      shown.push(await readAuthKey(uid))
      await send('POST', uid, '/ticket-key')
      await send('PUT', uid, '/web-api-key', { web_api_key: KEY })
      await send('POST', uid, '/disable')
      await send('DELETE', uid)
      const lines = server.lines.filter((line) => JSON.stringify(line).includes(`"game_uid":"${uid}"`))
      expect(lines.map(({ message }) => message)).toEqual([
        'External-store sign-in was turned on',
        'The auth key of a game was shown',
        'The auth key of a game was renewed',
        'The auth key of a game was shown',
        'The ticket key of a game was renewed',
        'The Web API key of a game was replaced',
        'External-store sign-in was turned off',
        'A listing was unlinked from the external store',
      ])
      for (const line of lines) expect(line).toMatchObject({ level: 'info', user_uid: owner.uid })
      const log = JSON.stringify(server.lines)
      for (const secret of [...shown, KEY]) expect(log).not.toContain(secret)
    })
  })

  describe('turning on', () => {
    test('makes both keys, and keeps all but the ticket key encrypted', async () => {
      const { uid } = await linkedGame()
      const settings = await readData<Settings>(await send('POST', uid, '/enable', { web_api_key: KEY }))
      const authKey = await readAuthKey(uid)
      expect(authKey).toMatch(/^[0-9a-f]{128}$/)
      expect(settings).toMatchObject({
        enabled: true,
        auth_key_last4: authKey.slice(-4),
        ticket_key: expect.stringMatching(/^svc_[0-9a-f]{32}$/),
        has_web_api_key: true,
      })
      const stored = JSON.stringify(await rowOf(uid))
      expect(stored).not.toContain(authKey)
      expect(stored).not.toContain(KEY)
    })

    test('again replaces the Web API key alone', async () => {
      const { uid } = await linkedGame()
      await send('POST', uid, '/enable', { web_api_key: KEY })
      const [before, key] = [await rowOf(uid), await readAuthKey(uid)]
      await send('POST', uid, '/enable', { web_api_key: KEY })
      const after = await rowOf(uid)
      expect(after).toMatchObject({ ticketKey: before?.ticketKey ?? '' })
      expect(after?.webApiKey).not.toBe(before?.webApiKey)
      expect(await readAuthKey(uid)).toBe(key)
    })

    const ways = [
      ['POST', '/enable'],
      ['PUT', '/web-api-key'],
    ] as const
    const faults = [
      ['a lowercase key', KEY.toLowerCase(), null, 400, 4240],
      ['a key of 31 characters', KEY.slice(1), null, 400, 4240],
      ['an empty key', '', null, 400, 4240],
      ['a key of another app', OTHER_KEY, null, 403, 4241],
      ['a key the store does not know', '9'.repeat(32), null, 403, 4241],
      ['a store that answers 500', KEY, '500', 502, 4243],
      ['a store that answers null', KEY, 'null', 502, 4243],
      ['a store that hangs up', KEY, 'reset', 502, 4243],
    ] as const
    const rows = ways.flatMap((way) => faults.map((fault) => [...way, ...fault] as const))
    test.each(rows)('%s %s with %s (%s, %s) is %i/%i', async (method, rest, _, key, fault, status, code) => {
      double.addKey(OTHER_KEY, [1])
      const { uid } = await linkedGame()
      if (method === 'PUT') await send('POST', uid, '/enable', { web_api_key: KEY })
      const before = await rowOf(uid)
      if (fault) double.fail('appList', fault)
      const answer = await readFailure(await send(method, uid, rest, { web_api_key: key }))
      double.heal()
      expect(answer).toMatchObject({ status, code })
      expect(await rowOf(uid)).toEqual(before)
    })
  })

  describe('one app links to one listing', () => {
    test('linking the same two again changes nothing; anything else is 4242', async () => {
      const [one, two] = [await linkedGame(), await linkedGame()]
      const link = (uid: string, appId: number) => server.deps.db.transaction((tx) => linkApp(tx, uid, appId))
      await link(one.uid, one.appId)
      for (const [uid, appId] of [
        [one.uid, two.appId],
        [one.uid, 1],
      ] as const) {
        const failure = await link(uid, appId).catch((error: unknown) => error)
        expect(failure).toMatchObject({ code: 4242, status: 409 })
      }
    })

    test('also when many link at once', async () => {
      const games = await Promise.all(Array.from({ length: 8 }, () => insertGame(server, owner)))
      const results = await Promise.allSettled(
        games.map(({ uid }) => server.deps.db.transaction((tx) => linkApp(tx, uid, 777_777))),
      )
      expect(results.filter(({ status }) => status === 'fulfilled').length).toBe(1)
    })
  })
})

describe('changes of state', () => {
  const { server, double } = useExtstore()
  let owner: Person
  beforeAll(async () => {
    owner = await signUp(server)
  })

  const pathOf = (uid: string, rest = '') => `/api/v1/private/games/${uid}/steam${rest}`
  const send = (method: string, uid: string, rest = '', body?: object) =>
    owner.json(method, pathOf(uid, rest), body)
  const rowOf = async (uid: string) => {
    const [row] = await server.deps.db.select().from(extstoreLinks).where(eq(extstoreLinks.gameUid, uid))
    return row
  }
  /** The game with the keys it has now. */
  const renewed = async (game: SignInGame) => {
    const settings = await readData<Settings>(await owner.fetch(pathOf(game.gameUid)))
    const shown = await readData<{ auth_key: string }>(await owner.fetch(pathOf(game.gameUid, '/auth-key')))
    const keys = { ticketKey: settings.ticket_key ?? '', authKey: shown.auth_key }
    return asSignInGame(server, double, { ...game, ...keys })
  }

  describe('while sign-in is on', () => {
    const REFUSED = { status: 422, code: 4248, message: expect.stringContaining('current auth key') }

    test('New auth key: the old one stops at once, and every token', async () => {
      const game = await insertSignInGame(server, double, owner)
      const { token, extstore_id: player } = await game.signIn()
      expect((await game.verify(token)).status).toBe(200)
      expect((await send('POST', game.gameUid, '/auth-key')).status).toBe(200)
      expect(await readFailure(await game.verify(token))).toMatchObject({ status: 401, code: 4249 })
      expect(await readFailure(await game.revoke({ jti: 'x' }))).toMatchObject({ status: 401, code: 4249 })
      expect(await readFailure(await game.ownership(player))).toMatchObject({ status: 401, code: 4249 })
      const now = await renewed(game)
      expect(now.authKey).not.toBe(game.authKey)
      expect(now.ticketKey).toBe(game.ticketKey)
      expect(await readFailure(await now.verify(token))).toMatchObject(REFUSED)
      expect(await readFailure(await now.refresh(token))).toMatchObject({ status: 401, code: 4248 })
      expect(await readData(await now.revoke({ extstore_id: player }))).toEqual({ revoked: 0 })
      expect((await now.readVerified((await now.signIn({ extstoreId: player })).token)).valid).toBe(true)
    })

    test('New auth key beside sign-ins: each token is of the old key or of the new, and counted as such', async () => {
      const game = await insertSignInGame(server, double, owner)
      const extstoreId = newExtstoreId()
      const signIns = Array.from({ length: 8 }, () => game.signIn({ extstoreId }))
      await signIns[2]
      await send('POST', game.gameUid, '/auth-key')
      const tokens = await Promise.all(signIns)
      const now = await renewed(game)
      const answers = await Promise.all(tokens.map(({ token }) => now.verify(token)))
      const good = answers.filter(({ status }) => status === 200).length
      expect(answers.filter(({ status }) => status === 422).length).toBe(tokens.length - good)
      expect(await readData(await now.revoke({ extstore_id: extstoreId }))).toEqual({ revoked: good })
    })

    test('New ticket key: builds with the old one cannot sign in, tokens keep working', async () => {
      const game = await insertSignInGame(server, double, owner)
      const { token } = await game.signIn()
      await send('POST', game.gameUid, '/ticket-key')
      expect(await readFailure(await game.auth(game.ticket()))).toMatchObject({ status: 401, code: 4246 })
      const now = await renewed(game)
      expect(now.authKey).toBe(game.authKey)
      expect((await now.auth(now.ticket())).status).toBe(200)
      expect((await now.readVerified(token)).valid).toBe(true)
    })

    test('Replace Web API key: keys and tokens keep working, the store is asked with the new one', async () => {
      const game = await insertSignInGame(server, double, owner)
      const { token } = await game.signIn()
      double.addKey('A'.repeat(32), [game.appId])
      const settings = await send('PUT', game.gameUid, '/web-api-key', { web_api_key: 'A'.repeat(32) })
      expect(await readData<Settings>(settings)).toMatchObject({ enabled: true, ticket_key: game.ticketKey })
      expect((await game.readVerified(token)).valid).toBe(true)
      expect((await game.refresh(token)).status).toBe(200)
      expect(double.requests.at(-1)?.params.key).toBe('A'.repeat(32))
    })

    const ends = [
      ['Turn off', 'POST', '/disable'],
      ['Unlink', 'DELETE', ''],
    ] as const
    test.each(ends)('%s: keys deleted, Web API key forgotten, tokens over', async (name, method, rest) => {
      const game = await insertSignInGame(server, double, owner)
      const { token, extstore_id: player } = await game.signIn()
      expect((await send(method, game.gameUid, rest)).status).toBe(200)
      const row = await rowOf(game.gameUid)
      if (name === 'Unlink') expect(row).toBeUndefined()
      else expect(row).toMatchObject({ appId: game.appId, authKey: null, ticketKey: null, webApiKey: null })
      const answers = [
        await game.auth(game.ticket()),
        await game.refresh(token),
        await game.verify(token),
        await game.revoke({ extstore_id: player }),
        await game.ownership(player),
      ]
      for (const answer of answers)
        expect(await readFailure(answer)).toMatchObject({ status: 404, code: 4245 })
      const named = await game.auth(game.ticket(), game.vanityName)
      expect(await readFailure(named)).toMatchObject({ status: 404, code: 4245 })

      await server.deps.db.transaction((tx) => linkApp(tx, game.gameUid, game.appId))
      await send('POST', game.gameUid, '/enable', { web_api_key: game.webApiKey })
      const again = await renewed(game)
      expect(again.authKey).not.toBe(game.authKey)
      expect(again.ticketKey).not.toBe(game.ticketKey)
      expect(await readFailure(await again.verify(token))).toMatchObject(REFUSED)
      expect(await readData(await again.revoke({ extstore_id: player }))).toEqual({ revoked: 0 })
    })
  })
})
