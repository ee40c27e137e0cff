import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'
import { decodeJwt, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'

import { users } from '../../../../src/db/schema/accounts.ts'
import type { SignedIn } from '../../../../src/features/extstore/sign-in/model.ts'
import { useExtstore } from '../../../helpers/extstore/imports.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { signUp } from '../../../helpers/people.ts'
import {
  claimsOf,
  insertSignInGame,
  insertToken,
  type MadeToken,
  newExtstoreId,
  sign,
  type SignInGame,
} from '../../../helpers/site/sign-in.ts'

const { server, double } = useExtstore()

describe('tokens', () => {
  let game: SignInGame
  let other: SignInGame
  beforeAll(async () => {
    const owner = await signUp(server)
    game = await insertSignInGame(server, double, owner)
    other = await insertSignInGame(server, double, owner)
  })

  type Forge = (made: MadeToken) => string | Promise<string>

  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const without = (name: string): Forge => {
    return ({ claims }) =>
      sign(Object.fromEntries(Object.entries(claims).filter(([key]) => key !== name)), game.authKey)
  }
  const withClaims =
    (changes: object): Forge =>
    ({ claims }) =>
      sign({ ...claims, ...changes }, game.authKey)
  const signedBy =
    (alg: 'RS256' | 'ES256'): Forge =>
    async ({ claims }) => {
      const { privateKey } = await generateKeyPair(alg)
      return await new SignJWT({ ...claims }).setProtectedHeader({ alg, typ: 'JWT' }).sign(privateKey)
    }

  const FORGED: readonly (readonly [name: string, forge: Forge])[] = [
    ['not a token at all', () => 'no token'],
    ['empty', () => ''],
    ['signed with another key', ({ claims }) => sign(claims, 'f'.repeat(128))],
    ["signed with another game's key", ({ claims }) => sign(claims, other.authKey)],
    [
      'signed with the bytes behind the hex',
      ({ claims }) => sign(claims, Buffer.from(game.authKey, 'hex').toString('latin1')),
    ],
    ['unsigned (alg none)', ({ claims }) => new UnsecuredJWT({ ...claims }).encode()],
    [
      'unsigned in a signed token’s clothes',
      ({ token, claims }) => [encode({ alg: 'none' }), encode(claims), token.split('.')[2]].join('.'),
    ],
    ['HS256 with the right key', ({ claims }) => sign(claims, game.authKey, { alg: 'HS256', typ: 'JWT' })],
    ['HS384 with the right key', ({ claims }) => sign(claims, game.authKey, { alg: 'HS384', typ: 'JWT' })],
    ['RS256', signedBy('RS256')],
    ['ES256', signedBy('ES256')],
    ['of another type', ({ claims }) => sign(claims, game.authKey, { alg: 'HS512', typ: 'at+jwt' })],
    [
      'changed after it was signed',
      ({ token, claims }) => {
        const [header, , signature] = token.split('.')
        return [header, encode({ ...claims, exp: claims.exp + 3600 }), signature].join('.')
      },
    ],
    ['cut short', ({ token }) => token.slice(0, -2)],
    ['without its signature', ({ token }) => token.slice(0, token.lastIndexOf('.') + 1)],
    ['of another issuer', withClaims({ iss: 'https://elsewhere.example' })],
    ['for another app', withClaims({ aud: 'extstore:1' })],
    ['for several apps', ({ claims }) => sign({ ...claims, aud: [claims.aud, 'extstore:1'] }, game.authKey)],
    ['for another listing', ({ claims }) => sign({ ...claims, gid: other.gameUid }, game.authKey)],
    ['of a player whose session it is not', withClaims({ sub: '76561198999999999' })],
    ['of a player written as a number', withClaims({ sub: 76_561_198 })],
    ['of who does not own the game', withClaims({ own: false })],
    ['of a session that is not known', withClaims({ jti: crypto.randomUUID() })],
    ['of a session whose name is no uid', withClaims({ jti: "' or 1=1 --" })],
    ...['iss', 'aud', 'gid', 'sub', 'own', 'vac', 'jti', 'iat', 'exp'].map(
      (name) => [`without ${name}`, without(name)] as const,
    ),
  ]

  describe('a token that is', () => {
    test.each(FORGED)('%s is 422/4248 at verify and 401/4248 at refresh', async (_, forge) => {
      const made = await insertToken(server, game)
      double.setOwnership({ appId: game.appId, extstoreId: made.claims.sub, owns: true })
      const token = await forge(made)
      expect(await readFailure(await game.verify(token))).toMatchObject({ status: 422, code: 4248 })
      expect(await readFailure(await game.refresh(token))).toMatchObject({ status: 401, code: 4248 })
      expect((await game.readVerified(made.token)).valid).toBe(true)
    })

    test("another game's own is refused here, and good there", async () => {
      const { token } = await other.signIn()
      expect(await readFailure(await game.verify(token))).toMatchObject({ status: 422, code: 4248 })
      expect(await readFailure(await game.refresh(token))).toMatchObject({ status: 401, code: 4248 })
      expect((await other.readVerified(token)).valid).toBe(true)
    })

    test('genuine in every part, but never issued, is refused', async () => {
      const token = await sign(claimsOf(server, game), game.authKey)
      expect(await readFailure(await game.verify(token))).toMatchObject({ status: 422, code: 4248 })
    })
  })

  test('a live token on a route for player tokens is the wrong kind: 403/4033; a revoked one 401', async () => {
    const { token, extstore_id } = await game.signIn()
    const ask = async () =>
      await readFailure(
        await server.fetch('/api/v1/public/search', { headers: { authorization: `Bearer ${token}` } }),
      )
    expect(await ask()).toMatchObject({ status: 403, code: 4033 })
    await game.revoke({ extstore_id })
    expect(await ask()).toMatchObject({ status: 401, code: 4010 })
  })
})

describe('refreshing', () => {
  let game: SignInGame
  beforeAll(async () => {
    game = await insertSignInGame(server, double, await signUp(server))
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
      expect(await game.readVerified(old.token)).toMatchObject({
        valid: false,
        expired: false,
        revoked: true,
      })
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
        const [answer, revoked] = await Promise.all([
          game.refresh(token),
          game.revoke({ extstore_id: player }),
        ])
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
})
