import { exportJWK, generateKeyPair, type JWK, type JWTHeaderParameters, SignJWT } from 'jose'

import { readData } from '../json.ts'
import type { Person } from '../people.ts'
import type { TestServer } from '../server.ts'

export const COMMIT = '4f2a91c0d3b85e6f7a1b2c3d4e5f60718293a4b5'
export const TOKEN_PATH = '/api/v1/tool/upload/token'

export type Claims = Record<string, unknown>

export interface IssuerKey {
  kid: string
  alg: string
  privateKey: CryptoKey
  jwk: JWK
}

/** An OpenID Connect issuer in the wire format of GitHub's. */
export interface Issuer {
  url: string
  key: IssuerKey
  /** What it publishes. */
  keys: JWK[]
  /** The paths that were asked for, in order. */
  asked: string[]
  /** Answers instead, if it returns something. */
  answer: (path: string) => Response | Promise<Response> | undefined
  addKey(alg?: string, kid?: string): Promise<IssuerKey>
  stop(): Promise<void>
}

export async function startIssuer(givenKey?: IssuerKey): Promise<Issuer> {
  const key = givenKey ?? (await makeKey('RS256', 'first'))
  const asked: string[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url)
      asked.push(pathname)
      const own = await issuer.answer(pathname)
      if (own) return own
      if (pathname === '/.well-known/openid-configuration') {
        return Response.json({
          issuer: issuer.url,
          jwks_uri: `${issuer.url}/.well-known/jwks`,
          response_types_supported: ['id_token'],
          subject_types_supported: ['public', 'pairwise'],
          id_token_signing_alg_values_supported: ['RS256'],
        })
      }
      if (pathname === '/.well-known/jwks') return Response.json({ keys: issuer.keys })
      return new Response('Not found', { status: 404 })
    },
  })
  const issuer: Issuer = {
    url: `http://127.0.0.1:${server.port}`,
    key,
    keys: [key.jwk],
    asked,
    answer: () => undefined,
    async addKey(alg = 'RS256', kid = crypto.randomUUID()) {
      const made = await makeKey(alg, kid)
      issuer.keys.push(made.jwk)
      return made
    },
    stop: () => server.stop(true),
  }
  return issuer
}

export async function makeKey(alg: string, kid: string): Promise<IssuerKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } }
}

/** The claims of a job of GitHub Actions for this store; `changes` replaces them or, with undefined, removes them. */
export function jobClaims(
  issuer: Pick<Issuer, 'url'>,
  server: Pick<TestServer, 'url'>,
  changes: Claims = {},
) {
  const now = Math.floor(Date.now() / 1000)
  const claims: Claims = {
    jti: crypto.randomUUID(),
    sub: 'repo:moss/garden:ref:refs/heads/main',
    aud: server.url,
    ref: 'refs/heads/main',
    sha: COMMIT,
    repository: 'moss/garden',
    repository_owner: 'moss',
    repository_id: '712345678',
    repository_owner_id: '9919',
    run_id: '8123456789',
    run_number: '42',
    run_attempt: '1',
    actor: 'moss',
    workflow: 'Release',
    event_name: 'push',
    ref_type: 'branch',
    job_workflow_ref: 'moss/garden/.github/workflows/release.yml@refs/heads/main',
    workflow_ref: 'moss/garden/.github/workflows/release.yml@refs/heads/main',
    environment: 'release',
    runner_environment: 'github-hosted',
    iss: issuer.url,
    iat: now,
    nbf: now - 600,
    exp: now + 300,
    ...changes,
  }
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined))
}

export async function signToken(
  { privateKey, kid, alg }: Pick<IssuerKey, 'privateKey' | 'kid' | 'alg'>,
  claims: Claims,
  header: Partial<JWTHeaderParameters> = {},
): Promise<string> {
  return await new SignJWT(claims).setProtectedHeader({ typ: 'JWT', alg, kid, ...header }).sign(privateKey)
}

/** A token of the issuer's key for this store. */
export async function jobToken(
  issuer: Issuer,
  server: Pick<TestServer, 'url'>,
  changes: Claims = {},
): Promise<string> {
  return await signToken(issuer.key, jobClaims(issuer, server, changes))
}

export interface PublisherKey {
  access_token: string
  secret_key: string
  expires_at: string
  channels: string[] | null
}

/** Each call comes from another address, so that they share no limits; needs TRUST_PROXY=1. */
export async function exchange(
  server: Pick<TestServer, 'fetch'>,
  game: string,
  token: string,
  address = `10.${[0, 0, 0].map(() => Math.floor(Math.random() * 250)).join('.')}`,
): Promise<Response> {
  return await server.fetch(TOKEN_PATH, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body: JSON.stringify({ game, token }),
  })
}

export async function addPublisher(
  person: Person,
  gameUid: string,
  issuer: Pick<Issuer, 'url'>,
  fields: Record<string, unknown> = {},
): Promise<string> {
  const body = { provider: 'github', issuer: issuer.url, repository: 'moss/garden', ...fields }
  const answer = await person.json('POST', `/api/v1/private/games/${gameUid}/publishers`, body)
  if (answer.status !== 201)
    throw new Error(`The publisher answered ${answer.status}: ${await answer.text()}`)
  return (await readData<{ uid: string }>(answer)).uid
}

export function keyHeaders({ access_token, secret_key }: PublisherKey) {
  return { 'x-access-token': access_token, 'x-secret-key': secret_key }
}
