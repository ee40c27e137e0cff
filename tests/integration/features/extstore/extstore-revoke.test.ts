import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { and, eq, isNotNull } from 'drizzle-orm'

import { extstoreRevocations, extstoreSessions } from '../../../../src/db/schema/extstore.ts'
import { type ExtStoreDouble, startExtStoreDouble } from '../../../helpers/ext-store-double/double.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { startTestServer, type TestServer } from '../../../helpers/server.ts'
import {
  insertSignInGame,
  insertToken,
  newExtstoreId,
  type SignInGame,
} from '../../../helpers/site/sign-in.ts'

let server: TestServer
let double: ExtStoreDouble
let owner: Person
let game: SignInGame
beforeAll(async () => {
  double = await startExtStoreDouble()
  server = await startTestServer({ TRUST_PROXY: '1', ...double.env })
  owner = await signUp(server)
  game = await insertSignInGame(server, double, owner)
})
afterAll(async () => {
  await server.stop()
  await double.stop()
})

const HOUR = 60 * 60

describe('revoke', () => {
  test('by jti ends one token; a second time, and of an unknown one: 0', async () => {
    const extstoreId = newExtstoreId()
    const [one, two] = [await game.signIn({ extstoreId }), await game.signIn({ extstoreId })]
    expect(await readData(await game.revoke({ jti: one.session_uid }))).toEqual({ revoked: 1 })
    expect((await game.readVerified(one.token)).valid).toBe(false)
    expect((await game.readVerified(two.token)).valid).toBe(true)
    for (const jti of [one.session_uid, crypto.randomUUID(), 'no uid']) {
      expect(await readData(await game.revoke({ jti }))).toEqual({ revoked: 0 })
    }
  })

  test('by account ends every token of the player, by one row; a second time: 0', async () => {
    const extstoreId = newExtstoreId()
    const tokens = [await game.signIn({ extstoreId }), await game.signIn({ extstoreId })]
    const bystander = await game.signIn()
    await insertToken(server, game, { extstoreId, age: 2 * HOUR })
    const [first] = tokens
    await game.revoke({ jti: first?.session_uid })
    expect(await readData(await game.revoke({ extstore_id: extstoreId }))).toEqual({ revoked: 1 })
    expect(await readData(await game.revoke({ extstore_id: extstoreId }))).toEqual({ revoked: 0 })
    for (const { token } of tokens) expect((await game.readVerified(token)).revoked).toBe(true)
    expect((await game.readVerified(bystander.token)).valid).toBe(true)
    const ofPlayer = and(eq(extstoreSessions.extstoreId, extstoreId), isNotNull(extstoreSessions.revokedAt))
    expect(await server.deps.db.$count(extstoreSessions, ofPlayer)).toBe(1)
  })

  test('by account of someone unknown: 0, and nothing is kept', async () => {
    const extstoreId = newExtstoreId()
    expect(await readData(await game.revoke({ extstore_id: extstoreId }))).toEqual({ revoked: 0 })
    const ofPlayer = eq(extstoreRevocations.extstoreId, extstoreId)
    expect(await server.deps.db.$count(extstoreRevocations, ofPlayer)).toBe(0)
  })

  test('ends what was issued before, even in the same millisecond, and nothing issued after', async () => {
    const extstoreId = newExtstoreId()
    const early = await insertToken(server, game, { extstoreId })
    // The database's clock may be set back: what is there is ended all the same.
    const ahead = new Date(Date.now() + 60_000)
    await server.deps.db
      .update(extstoreSessions)
      .set({ createdAt: ahead })
      .where(eq(extstoreSessions.uid, early.claims.jti))
    expect(await readData(await game.revoke({ extstore_id: extstoreId }))).toEqual({ revoked: 1 })
    expect((await game.readVerified(early.token)).revoked).toBe(true)
    const late = await game.signIn({ extstoreId })
    expect((await game.readVerified(late.token)).valid).toBe(true)
    expect(await readData(await game.revoke({ extstore_id: extstoreId }))).toEqual({ revoked: 1 })
    expect((await game.readVerified(late.token)).revoked).toBe(true)
  })

  test('beside sign-ins: what was counted is over, the rest is valid', async () => {
    for (let round = 0; round < 5; round += 1) {
      const extstoreId = newExtstoreId()
      const signIns = Array.from({ length: 6 }, () => game.signIn({ extstoreId }))
      const revoked = (async () => {
        await signIns[round]
        return await readData<{ revoked: number }>(await game.revoke({ extstore_id: extstoreId }))
      })()
      const [tokens, { revoked: counted }] = [await Promise.all(signIns), await revoked]
      const verified = await Promise.all(tokens.map(({ token }) => game.readVerified(token)))
      expect(verified.filter(({ valid }) => !valid).length).toBe(counted)
    }
  })

  test("leaves other games' tokens alone", async () => {
    const other = await insertSignInGame(server, double, owner)
    const theirs = await other.signIn()
    expect(await readData(await game.revoke({ jti: theirs.session_uid }))).toEqual({ revoked: 0 })
    expect(await readData(await game.revoke({ extstore_id: theirs.extstore_id }))).toEqual({ revoked: 0 })
    expect((await other.readVerified(theirs.token)).valid).toBe(true)
  })

  const faulty = [
    {},
    { extstore_id: 'abc' },
    { extstore_id: '' },
    { extstore_id: '0' },
    { extstore_id: '-5' },
    { extstore_id: '18446744073709551616' },
    { jti: crypto.randomUUID(), extstore_id: '76561198000000000' },
  ]
  test.each(faulty)('with %j is 400/4240', async (body) => {
    expect(await readFailure(await game.revoke(body))).toMatchObject({ status: 400, code: 4240 })
  })

  test('with a number or an unknown field is 400/4000', async () => {
    for (const body of [{ extstore_id: 5 }, { jti: 'x', more: 1 }]) {
      expect(await readFailure(await game.revoke(body))).toMatchObject({ status: 400, code: 4000 })
    }
  })
})
