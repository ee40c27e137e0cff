import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { extstoreLinks } from '../../../../src/db/schema/extstore.ts'
import type { Settings } from '../../../../src/features/extstore/link/model.ts'
import { linkApp } from '../../../../src/features/extstore/link/service.ts'
import { type ExtStoreDouble, startExtStoreDouble } from '../../../helpers/ext-store-double/double.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { startTestServer, type TestServer } from '../../../helpers/server.ts'
import {
  asSignInGame,
  insertSignInGame,
  newExtstoreId,
  type SignInGame,
} from '../../../helpers/site/sign-in.ts'

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
    for (const answer of answers) expect(await readFailure(answer)).toMatchObject({ status: 404, code: 4245 })
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
