import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'

import { type ExtStoreDouble, startExtStoreDouble } from '../../../helpers/ext-store-double/double.ts'
import { readFailure } from '../../../helpers/json.ts'
import { signUp } from '../../../helpers/people.ts'
import { startTestServer, type TestServer } from '../../../helpers/server.ts'
import {
  claimsOf,
  insertSignInGame,
  insertToken,
  type MadeToken,
  sign,
  type SignInGame,
} from '../../../helpers/site/sign-in.ts'

let server: TestServer
let double: ExtStoreDouble
let game: SignInGame
let other: SignInGame
beforeAll(async () => {
  double = await startExtStoreDouble()
  server = await startTestServer({ TRUST_PROXY: '1', ...double.env })
  const owner = await signUp(server)
  game = await insertSignInGame(server, double, owner)
  other = await insertSignInGame(server, double, owner)
})
afterAll(async () => {
  await server.stop()
  await double.stop()
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
