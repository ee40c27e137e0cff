import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { exportSPKI, importJWK, type JWTHeaderParameters, SignJWT } from 'jose'

import { deployKeys } from '../../../../../src/db/schema/deploy-keys.ts'
import { readFailure } from '../../../../helpers/json.ts'
import { type GameRow, insertGame } from '../../../../helpers/listings.ts'
import type { Person } from '../../../../helpers/people.ts'
import { type LoggedServer, startLoggedServer } from '../../../../helpers/processes/logged-server.ts'
import {
  addPublisher,
  type Claims,
  exchange,
  type Issuer,
  type IssuerKey,
  jobClaims,
  jobToken,
  makeKey,
  signToken,
  startIssuer,
} from '../../../../helpers/sign-in/issuer.ts'
import { signUpVerified } from '../../../../helpers/uploads/uploads.ts'

let server: LoggedServer
let issuer: Issuer
let stranger: Issuer
let foreign: IssuerKey
let owner: Person
let game: GameRow
beforeAll(async () => {
  issuer = await startIssuer()
  stranger = await startIssuer()
  foreign = await makeKey('RS256', 'first')
  server = await startLoggedServer({ TRUST_PROXY: '1', TRUSTED_ISSUERS: issuer.url, METRICS_PORT: '0' })
  owner = await signUpVerified(server)
  await owner.json('PATCH', '/api/v1/private/me', { developer_mode: true })
  game = await insertGame(server, owner)
  await addPublisher(owner, game.uid, issuer, {
    workflow: 'release.yml',
    environment: 'release',
    ref: 'refs/heads/main',
  })
})
afterAll(async () => {
  await server.stop()
  await Promise.all([issuer.stop(), stranger.stop()])
})

const seconds = () => Math.floor(Date.now() / 1000)
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const claims = (changes: Claims = {}) => jobClaims(issuer, server, changes)
const withClaims = (changes: Claims) => () => jobToken(issuer, server, changes)
const withHeader = (header: Partial<JWTHeaderParameters>) => () => signToken(issuer.key, claims(), header)

/** Signed with a published text as if it were a shared secret. */
async function signWithPublicKey(): Promise<string> {
  const key = await importJWK({ ...issuer.key.jwk }, 'RS256')
  const pem = key instanceof Uint8Array ? key : new TextEncoder().encode(await exportSPKI(key))
  return await new SignJWT(claims()).setProtectedHeader({ alg: 'HS256', kid: 'first' }).sign(pem)
}

/** Signed by the issuer, with a header that no library would write. */
async function signRaw(header: object): Promise<string> {
  const head = `${encode({ alg: 'RS256', kid: 'first', ...header })}.${encode(claims())}`
  const algorithm = 'RSASSA-PKCS1-v1_5'
  const signature = await crypto.subtle.sign(algorithm, issuer.key.privateKey, new TextEncoder().encode(head))
  return `${head}.${Buffer.from(signature).toString('base64url')}`
}

async function alter(change: (parts: string[]) => string[]): Promise<string> {
  return change((await jobToken(issuer, server)).split('.')).join('.')
}

/** What the token is, what its sentence names, and how it is made. */
const FORGED: readonly [what: string, named: string, make: () => Promise<string>][] = [
  ['text', 'token', async () => 'not a token'],
  ['two parts', 'token', () => alter((parts) => parts.slice(0, 2))],
  ['a payload that is no JSON', 'token', () => alter(([head = '', , end = '']) => [head, 'e30x', end])],
  ['a header that is no JSON', 'header', () => alter(([, body = '', end = '']) => ['e30x', body, end])],
  ['unsigned', 'alg', async () => `${encode({ alg: 'none', kid: 'first' })}.${encode(claims())}.`],
  ['signed with the public key as a secret', 'alg', signWithPublicKey],
  [
    'signed with RS512',
    'alg',
    async () => {
      const key = await makeKey('RS512', 'first')
      return await signToken(key, claims())
    },
  ],
  ['without the id of a key', 'kid', withHeader({ kid: undefined })],
  ['with the id of no key', 'kid', withHeader({ kid: 'other' })],
  ['with a path as the id of a key', 'kid', withHeader({ kid: '../../first' })],
  ['signed with another key', 'signature', () => signToken(foreign, claims())],
  ['that carries its own key', 'signature', () => signToken(foreign, claims(), { jwk: foreign.jwk })],
  ['that names keys elsewhere', 'signature', () => signToken(foreign, claims(), { jku: stranger.url })],
  [
    'with other claims than were signed',
    'signature',
    () => alter(([head = '', , end = '']) => [head, encode(claims({ sha: 'f'.repeat(40) })), end]),
  ],
  ['without a signature', 'signature', () => alter(([head = '', body = '']) => [head, body, ''])],
  ['with an unknown critical header', 'signature', () => signRaw({ crit: ['safe'], safe: true })],
  ['with a list of algorithms', 'alg', () => signRaw({ alg: ['RS256', 'none'] })],
  ['of an issuer nobody trusts', 'iss', () => jobToken(stranger, server)],
  ['of an issuer with one more slash', 'iss', withClaims({ iss: undefined })],
  ['for another store', 'aud', withClaims({ aud: 'https://other.example' })],
  [
    'for two stores',
    'aud',
    async () => await jobToken(issuer, server, { aud: [server.url, 'https://x.example'] }),
  ],
  ['for nobody', 'aud', withClaims({ aud: undefined })],
  ['that expired', 'exp', withClaims({ exp: seconds() - 1 })],
  ['without an end', 'exp', withClaims({ exp: undefined })],
  ['that is not valid yet', 'nbf', withClaims({ nbf: seconds() + 3600 })],
  ['from the future', 'iat', () => jobToken(issuer, server, { iat: seconds() + 60 })],
  ['that is eleven minutes old', 'iat', withClaims({ iat: seconds() - 11 * 60 })],
  ['without a time', 'iat', withClaims({ iat: undefined })],
  ['without an id', 'jti', withClaims({ jti: undefined })],
  ['with an empty id', 'jti', withClaims({ jti: '' })],
  ['of another repository', 'repository', withClaims({ repository: 'evil/garden' })],
  ['of a repository in other letters', 'repository', withClaims({ repository: 'Moss/Garden' })],
  ['of a repository whose name goes on', 'repository', withClaims({ repository: 'moss/garden-2' })],
  [
    'of another workflow',
    'workflow_ref',
    withClaims({ workflow_ref: 'moss/garden/.github/workflows/test.yml@refs/heads/main' }),
  ],
  [
    'of a workflow of another repository',
    'workflow_ref',
    withClaims({ workflow_ref: 'evil/garden/.github/workflows/release.yml@refs/heads/main' }),
  ],
  [
    'of a workflow whose name has an @',
    'workflow_ref',
    withClaims({ workflow_ref: 'moss/garden/.github/workflows/release.yml@x.yml@refs/heads/main' }),
  ],
  ['outside of the environment', 'environment', withClaims({ environment: undefined })],
  ['of another environment', 'environment', withClaims({ environment: 'test' })],
  ['of another branch', 'ref', withClaims({ ref: 'refs/heads/main2' })],
  ['of a pull request', 'ref', withClaims({ ref: 'refs/pull/1/merge' })],
  ['without a commit', 'sha', withClaims({ sha: undefined })],
  ['with a commit that is none', 'sha', withClaims({ sha: '"><script>' })],
]

describe('a forged token', () => {
  test.each([...FORGED])('%s is refused by %s', async (_, named, make) => {
    const token = await make()
    const failure = await readFailure<{ claim?: string } | undefined>(await exchange(server, game.uid, token))
    expect(failure).toMatchObject({ status: 401, code: 4108 })
    expect(failure.message).toMatch(new RegExp(`\\b${named}\\b`))
    if (failure.data) expect(failure.data.claim).toBe(named)
    expect(failure.message).not.toContain(token.slice(0, 40))
  })

  test('says what was expected and what came', async () => {
    const token = await jobToken(issuer, server, { repository: 'evil/garden' })
    expect(await readFailure(await exchange(server, game.uid, token))).toMatchObject({
      message: expect.stringContaining('expected "moss/garden", got "evil/garden"'),
      data: { claim: 'repository', expected: '"moss/garden"', got: '"evil/garden"' },
    })
  })

  test('of another game does not say whether there is such a game', async () => {
    const hidden = await insertGame(server, owner)
    const answers = await Promise.all(
      [hidden.vanityName, 'no-such-game', crypto.randomUUID()].map(async (name) =>
        readFailure(await exchange(server, name, await jobToken(issuer, server))),
      ),
    )
    expect(new Set(answers.map(({ message }) => message)).size).toBe(1)
    expect(answers[0]).toMatchObject({ status: 401, code: 4108 })
  })

  test('makes no key, uses up no token, and is not in the log', async () => {
    expect(await server.deps.db.$count(deployKeys)).toBe(0)
    const id = crypto.randomUUID()
    const bad = await jobToken(issuer, server, { jti: id, ref: 'refs/heads/other' })
    expect((await exchange(server, game.uid, bad)).status).toBe(401)
    const good = await jobToken(issuer, server, { jti: id })
    expect((await exchange(server, game.uid, good)).status).toBe(201)
    const log = JSON.stringify(server.lines)
    for (const token of [bad, good]) expect(log).not.toContain(token.split('.')[2] ?? '')
  })
})
