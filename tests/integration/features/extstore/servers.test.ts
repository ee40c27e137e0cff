import { beforeAll, describe, expect, test } from 'bun:test'

import { and, eq, isNotNull } from 'drizzle-orm'
import { decodeJwt } from 'jose'

import { users } from '../../../../src/db/schema/accounts.ts'
import { extstoreRevocations, extstoreSessions } from '../../../../src/db/schema/extstore.ts'
import { useExtstore } from '../../../helpers/extstore/imports.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { insertGame } from '../../../helpers/listings.ts'
import { type Person, randomAddress, signUp } from '../../../helpers/people.ts'
import {
  insertSignInGame,
  insertToken,
  newExtstoreId,
  type SignInGame,
} from '../../../helpers/site/sign-in.ts'

const { server, double } = useExtstore()

describe('what servers ask', () => {
  let owner: Person
  let game: SignInGame
  beforeAll(async () => {
    owner = await signUp(server)
    game = await insertSignInGame(server, double, owner)
  })

  const HOUR = 60 * 60
  const ownershipOf = (extstoreId: string) => ({
    owns_app: true,
    permanent: true,
    owner_extstore_id: extstoreId,
    checked_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*\.\d{3}Z$/),
  })

  describe('verify', () => {
    test('of a good token says so, with its claims and nothing else, and does not ask the store', async () => {
      const { token } = await game.signIn()
      const before = double.requests.length
      expect(await game.readVerified(token)).toEqual({
        valid: true,
        expired: false,
        revoked: false,
        claims: decodeJwt(token),
      })
      expect((await game.readVerified(token, { recheck_ownership: false })).valid).toBe(true)
      expect(double.requests.length).toBe(before)
    })

    const states = [
      ['valid', 0, false, { valid: true, expired: false, revoked: false }],
      ['expired', HOUR, false, { valid: false, expired: true, revoked: false }],
      ['revoked', 0, true, { valid: false, expired: false, revoked: true }],
      ['expired and revoked', HOUR, true, { valid: false, expired: true, revoked: true }],
      ['expired for weeks', 20 * 24 * HOUR, false, { valid: false, expired: true, revoked: false }],
    ] as const
    test.each(states)('of a genuine token that is %s answers 200', async (_, age, isRevoked, expected) => {
      const { token, claims } = await insertToken(server, game, { age })
      if (isRevoked) await game.revoke({ jti: claims.jti })
      const answer = await game.verify(token)
      expect(answer.status).toBe(200)
      expect(await readData(answer)).toEqual({ ...expected, claims })
    })

    test('names the user who has the account linked now, whatever the token says', async () => {
      const signedIn = await game.signIn()
      const person = await signUp(server)
      const link = async (extstoreId: string | null) =>
        await server.deps.db.update(users).set({ extstoreId }).where(eq(users.id, person.uid))
      await link(signedIn.extstore_id)
      const { svc_user: linked } = await game.readVerified(signedIn.token)
      expect(linked).toEqual({ uid: person.uid, username: expect.any(String) })
      await link(null)
      expect(await game.readVerified(signedIn.token)).not.toHaveProperty('svc_user')
    })

    test('with recheck_ownership asks the store again, and what it says does not change valid', async () => {
      const { token, extstore_id: extstoreId } = await game.signIn()
      const again = () => game.readVerified(token, { recheck_ownership: true })
      expect((await again()).ownership).toEqual(ownershipOf(extstoreId))
      double.setOwnership({ appId: game.appId, extstoreId, owns: false })
      expect(await again()).toMatchObject({
        valid: true,
        ownership: { owns_app: false, permanent: false, owner_extstore_id: '0' },
      })
      double.fail('ownership', '500')
      expect(await readFailure(await game.verify(token, { recheck_ownership: true }))).toMatchObject({
        status: 502,
        code: 4243,
      })
      double.heal()
    })

    test.each([{ recheck_ownership: 'yes' }, { more: 1 }])('with %j is 400/4000', async (more) => {
      const { token } = await game.signIn()
      expect(await readFailure(await game.verify(token, more))).toMatchObject({ status: 400, code: 4000 })
    })
  })

  describe('ownership', () => {
    test('is told without a token, straight from the store', async () => {
      const [extstoreId, lender] = [newExtstoreId(), newExtstoreId()]
      double.setOwnership({ appId: game.appId, extstoreId, owns: true })
      expect(await game.readOwnership(extstoreId)).toEqual(ownershipOf(extstoreId))
      double.setOwnership({ appId: game.appId, extstoreId, owns: true, ownerExtstoreId: lender })
      expect(await game.readOwnership(extstoreId)).toMatchObject({
        owns_app: true,
        permanent: false,
        owner_extstore_id: lender,
      })
      expect(await game.readOwnership(newExtstoreId())).toMatchObject({ owns_app: false, permanent: false })
      expect((await game.ownership('18446744073709551615')).status).toBe(200)
    })

    test.each(['abc', '18446744073709551616', '1.5', '-1'])('of %s is 400/4240', async (id) => {
      expect(await readFailure(await game.ownership(id))).toMatchObject({ status: 400, code: 4240 })
    })

    test.each(['html401', 'html403', '500', '429', 'not_json', 'null', 'half', 'reset'] as const)(
      'when the store fails with %s is 502/4243',
      async (fault) => {
        double.fail('ownership', fault)
        expect(await readFailure(await game.ownership(newExtstoreId()))).toMatchObject({
          status: 502,
          code: 4243,
        })
        double.heal()
      },
    )
  })

  describe('the server routes', () => {
    type Route = readonly [method: string, path: string, body: object | null]
    const routes: readonly Route[] = [
      ['POST', '/server/verify', { token: 'x' }],
      ['POST', '/server/revoke', { jti: 'x' }],
      ['GET', '/server/ownership/76561198000000000', null],
    ]
    const call = (ref: string, [method, path, body]: Route, key: string | null) =>
      server.fetch(`/api/v1/extstore/${ref}${path}`, {
        method,
        headers: {
          'x-forwarded-for': randomAddress(),
          ...(body && { 'content-type': 'application/json' }),
          ...(key !== null && { authorization: `Bearer ${key}` }),
        },
        ...(body && { body: JSON.stringify(body) }),
      })

    test.each(routes)('%s %s needs the auth key: else 401/4249', async (method, path, body) => {
      const route: Route = [method, path, body]
      const other = await insertSignInGame(server, double, owner)
      for (const key of [null, 'wrong', game.ticketKey, game.authKey.toUpperCase(), other.authKey]) {
        expect(await readFailure(await call(game.gameUid, route, key))).toMatchObject({
          status: 401,
          code: 4249,
        })
      }
      expect((await call(game.vanityName, route, game.authKey)).status).not.toBe(401)
    })

    test.each(routes)(
      '%s %s is 404/4245 while sign-in is off, 404/4040 for no listing',
      async (method, path, body) => {
        const route: Route = [method, path, body]
        const off = await insertGame(server, owner, { visibility: 'public' })
        expect(await readFailure(await call(off.uid, route, 'x'))).toMatchObject({ status: 404, code: 4245 })
        expect(await readFailure(await call('no-such-game', route, 'x'))).toMatchObject({
          status: 404,
          code: 4040,
        })
      },
    )
  })

  describe('the auth key of a game on routes of others', () => {
    const ROUTES = ['/api/v1/player/library', '/api/v1/public/search', '/api/v1/private/me']
    const ask = (path: string, key: string) =>
      server.fetch(path, { headers: { authorization: `Bearer ${key}`, 'x-forwarded-for': randomAddress() } })

    test('is known, but of the wrong kind; one that was replaced or never issued is unknown', async () => {
      const { gameUid, authKey } = await insertSignInGame(server, double, owner)
      for (const path of ROUTES)
        expect([path, await readFailure(await ask(path, authKey))]).toMatchObject([
          path,
          { status: 403, code: 4033 },
        ])
      const base = `/api/v1/private/games/${gameUid}/steam`
      expect((await owner.json('POST', `${base}/auth-key`, {})).status).toBe(200)
      const { auth_key: next } = await readData<{ auth_key: string }>(await owner.fetch(`${base}/auth-key`))
      for (const path of ROUTES) {
        expect(await readFailure(await ask(path, authKey))).toMatchObject({ status: 401, code: 4010 })
        expect(await readFailure(await ask(path, next))).toMatchObject({ status: 403, code: 4033 })
        expect((await ask(path, 'a'.repeat(128))).status).toBe(401)
      }
      expect((await owner.json('POST', `${base}/disable`, {})).status).toBe(200)
      expect((await ask('/api/v1/player/library', next)).status).toBe(401)
    })
  })
})

describe('revoking', () => {
  let owner: Person
  let game: SignInGame
  beforeAll(async () => {
    owner = await signUp(server)
    game = await insertSignInGame(server, double, owner)
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
})
