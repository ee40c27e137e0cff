import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'
import { decodeJwt } from 'jose'

import { users } from '../../../../src/db/schema/accounts.ts'
import type { SignedIn } from '../../../../src/features/extstore/sign-in/model.ts'
import { type ExtStoreDouble, startExtStoreDouble } from '../../../helpers/ext-store-double/double.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { signUp } from '../../../helpers/people.ts'
import { startTestServer, type TestServer } from '../../../helpers/server.ts'
import {
  insertSignInGame,
  insertToken,
  newExtstoreId,
  type SignInGame,
} from '../../../helpers/site/sign-in.ts'

let server: TestServer
let double: ExtStoreDouble
let game: SignInGame
beforeAll(async () => {
  double = await startExtStoreDouble()
  server = await startTestServer({ TRUST_PROXY: '1', ...double.env })
  game = await insertSignInGame(server, double, await signUp(server))
})
afterAll(async () => {
  await server.stop()
  await double.stop()
})

const HOUR = 60 * 60
const ENDED = { status: 401, code: 4248 }
const owns = (extstoreId: string) => double.setOwnership({ appId: game.appId, extstoreId, owns: true })

describe('a refresh', () => {
  test('answers like auth, with a new token; the old one is revoked', async () => {
    const old = await game.signIn()
    const answer = await game.refresh(old.token)
    expect(answer.status).toBe(200)
    const fresh = await readData<SignedIn>(answer)
    expect(Object.keys(fresh).toSorted()).toEqual(Object.keys(old).toSorted())
    expect(fresh).toMatchObject({ extstore_id: old.extstore_id, family_shared: false })
    expect(fresh.session_uid).not.toBe(old.session_uid)
    expect(await game.readVerified(fresh.token)).toMatchObject({ valid: true, revoked: false })
    expect(await game.readVerified(old.token)).toMatchObject({ valid: false, expired: false, revoked: true })
    expect(await readFailure(await game.refresh(old.token))).toMatchObject(ENDED)
  })

  const ages = [
    ['just issued', 0, 200],
    ['about to expire', HOUR - 30, 200],
    ['expired just now', HOUR, 200],
    ['expired nearly 24 hours ago', 25 * HOUR - 30, 200],
    ['expired more than 24 hours ago', 25 * HOUR + 2, 401],
  ] as const
  test.each(ages)('of a token that is %s (%i s old) answers %i', async (_, age, status) => {
    const { token, claims } = await insertToken(server, game, { age })
    owns(claims.sub)
    const answer = await game.refresh(token)
    expect(answer.status).toBe(status)
    if (status === 401) expect(await readFailure(answer)).toMatchObject(ENDED)
  })

  test('checks the ownership again: 403/4247, and the old token stays as it was', async () => {
    const old = await game.signIn()
    double.setOwnership({ appId: game.appId, extstoreId: old.extstore_id, owns: false })
    expect(await readFailure(await game.refresh(old.token))).toMatchObject({ status: 403, code: 4247 })
    expect((await game.readVerified(old.token)).valid).toBe(true)
  })

  test('tells who owns the copy now', async () => {
    const lender = newExtstoreId()
    const old = await game.signIn({ ownerExtstoreId: lender })
    const kept = await readData<SignedIn>(await game.refresh(old.token))
    expect(kept.family_shared).toBe(true)
    expect(decodeJwt(kept.token).osid).toBe(lender)
    owns(old.extstore_id)
    const bought = await readData<SignedIn>(await game.refresh(kept.token))
    expect(bought.family_shared).toBe(false)
    expect(decodeJwt(bought.token)).not.toHaveProperty('osid')
  })

  test('keeps what the store said about bans, which it tells only with a ticket', async () => {
    const old = await game.signIn({ vacBanned: true })
    const fresh = await readData<SignedIn>(await game.refresh(old.token))
    expect(decodeJwt(fresh.token).vac).toBe(true)
  })

  test('names the user who has linked the account since', async () => {
    const old = await game.signIn()
    expect(old).not.toHaveProperty('svc_user_uid')
    const person = await signUp(server)
    await server.deps.db.update(users).set({ extstoreId: old.extstore_id }).where(eq(users.id, person.uid))
    const fresh = await readData<SignedIn>(await game.refresh(old.token))
    expect(fresh.svc_user_uid).toBe(person.uid)
    expect(decodeJwt(fresh.token).buid).toBe(person.uid)
  })

  test.each(['html403', '500', 'null', 'reset'] as const)(
    'while the store fails with %s is 502/4243, and the old token stays valid',
    async (fault) => {
      const { token } = await game.signIn()
      double.fail('ownership', fault)
      expect(await readFailure(await game.refresh(token))).toMatchObject({ status: 502, code: 4243 })
      double.heal()
      expect((await game.readVerified(token)).valid).toBe(true)
      expect((await game.refresh(token)).status).toBe(200)
    },
  )

  test('of ten at once with one token, exactly one wins; the others are 401/4248', async () => {
    const { token, extstore_id: player } = await game.signIn()
    const answers = await Promise.all(Array.from({ length: 10 }, () => game.refresh(token)))
    const failed = await Promise.all(answers.filter(({ ok }) => !ok).map((answer) => readFailure(answer)))
    expect(failed.length).toBe(9)
    for (const failure of failed) expect(failure).toMatchObject(ENDED)
    expect(await readData(await game.revoke({ extstore_id: player }))).toEqual({ revoked: 1 })
  })

  test('never outlives a revocation of all the player’s tokens that it meets', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { token, extstore_id: player } = await game.signIn()
      double.fail('ownership', 'slow', round % 2)
      const [answer, revoked] = await Promise.all([game.refresh(token), game.revoke({ extstore_id: player })])
      // Whichever came first: one token was alive, and none is now.
      expect(await readData(revoked)).toEqual({ revoked: 1 })
      if (answer.status === 401) continue
      const fresh = await readData<SignedIn>(answer)
      expect(await game.readVerified(fresh.token)).toMatchObject({ valid: false, revoked: true })
    }
  })

  test('of a revoked token is 401/4248, however it was revoked', async () => {
    const one = await game.signIn()
    await game.revoke({ jti: one.session_uid })
    expect(await readFailure(await game.refresh(one.token))).toMatchObject(ENDED)
    const two = await game.signIn()
    await game.revoke({ extstore_id: two.extstore_id })
    expect(await readFailure(await game.refresh(two.token))).toMatchObject(ENDED)
  })

  test('of an expired token that was revoked is 401/4248', async () => {
    const one = await insertToken(server, game, { age: 2 * HOUR })
    owns(one.claims.sub)
    expect(await readData(await game.revoke({ jti: one.claims.jti }))).toEqual({ revoked: 0 })
    expect(await readFailure(await game.refresh(one.token))).toMatchObject(ENDED)
    const two = await insertToken(server, game, { age: 2 * HOUR })
    owns(two.claims.sub)
    expect(await readData(await game.revoke({ extstore_id: two.claims.sub }))).toEqual({ revoked: 0 })
    expect(await readFailure(await game.refresh(two.token))).toMatchObject(ENDED)
  })
})
