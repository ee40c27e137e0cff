import type { Agent } from '../../../src/domain/actor.ts'
import { readJson } from '../json.ts'
import { type Person, randomAddress } from '../people.ts'
import type { ReachableServer } from '../server.ts'

const REDIRECT = 'http://127.0.0.1:39999/callback'

interface TokenAnswer {
  access_token: string
  refresh_token?: string
  expires_in: number
  scope: string
}

export interface Connection extends TokenAnswer {
  clientId: string
}

/** For calling services directly. */
export function asAgent(userUid: string, clientId: string): Agent {
  return {
    kind: 'agent',
    userUid,
    clientId,
    tokenId: clientId,
    scopes: [],
    adultContent: false,
    hiddenTags: [],
  }
}

/** The full flow of a native client: registration, consent, code, token. */
export async function obtainToken(
  server: ReachableServer,
  person: Person,
  scope: string,
  resource: string | null = resourceFor(server, scope),
): Promise<Connection> {
  const clientId = await registerClient(server)
  return { clientId, ...(await reconnect(server, person, { clientId, scope, resource })) }
}

/** Agents request tokens for their tools, all other clients for the API. */
function resourceFor(server: ReachableServer, scope: string): string {
  return scope.includes('mcp:') ? `${server.url}/mcp` : server.url
}

/** The same without the registration. */
export async function reconnect(
  server: ReachableServer,
  person: Person,
  {
    clientId,
    scope,
    resource = resourceFor(server, scope),
  }: { clientId: string; scope: string; resource?: string | null },
): Promise<TokenAnswer> {
  const { verifier, challenge } = createPkcePair()
  const code = await authorize(server, person, { clientId, scope, challenge, resource })
  const fields = { grant_type: 'authorization_code', code, client_id: clientId, code_verifier: verifier }
  const answer = await exchange(server, fields, resource)
  if (answer.status !== 200)
    throw new Error(`The token endpoint answered ${answer.status}: ${await answer.text()}`)
  return await readJson<TokenAnswer>(answer)
}

export async function registerClient(server: ReachableServer, metadata: object = {}): Promise<string> {
  const answer = await register(server, {
    client_name: 'A test client',
    redirect_uris: [REDIRECT],
    token_endpoint_auth_method: 'none',
    application_type: 'native',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    ...metadata,
  })
  if (answer.status !== 201) throw new Error(`Registration answered ${answer.status}: ${await answer.text()}`)
  return (await readJson<{ client_id: string }>(answer)).client_id
}

export async function register(server: ReachableServer, metadata: object): Promise<Response> {
  return await server.fetch('/api/auth/oauth2/register', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': randomAddress() },
    body: JSON.stringify(metadata),
  })
}

export function createPkcePair(): { verifier: string; challenge: string } {
  const verifier = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')
  const challenge = new Bun.CryptoHasher('sha256').update(verifier).digest('base64url')
  return { verifier, challenge }
}

interface Authorization {
  clientId: string
  scope: string
  challenge: string | null
  /** Defaults to this server; null sends none. */
  resource?: string | null | undefined
  redirectUri?: string
}

/** Requests a code and accepts on the consent page. Returns the code. */
export async function authorize(
  server: ReachableServer,
  person: Person,
  { clientId, scope, challenge, resource = server.url, redirectUri = REDIRECT }: Authorization,
): Promise<string> {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope,
    state: 'x',
  })
  if (resource !== null) query.set('resource', resource)
  if (challenge !== null) {
    query.set('code_challenge', challenge)
    query.set('code_challenge_method', 'S256')
  }
  return await answerAuthorization(server, person, `/api/auth/oauth2/authorize?${query.toString()}`)
}

/** Follows an authorization address as the browser does. The consent page is skipped if it is not shown. */
export async function answerAuthorization(
  server: ReachableServer,
  person: Person,
  path: string,
): Promise<string> {
  const asked = await person.fetch(path)
  const page = new URL(asked.headers.get('location') ?? '', server.url)
  if (page.searchParams.has('error')) throw new Error(`authorize: ${page.searchParams.get('error')}`)
  const known = page.searchParams.get('code')
  if (known) return known
  const consent = await person.json('POST', '/api/auth/oauth2/consent', {
    accept: true,
    oauth_query: page.search.slice(1),
  })
  const { url } = await readJson<{ url: string }>(consent)
  const code = new URL(url).searchParams.get('code')
  if (!code) throw new Error(`No code in ${url}`)
  return code
}

export async function exchange(
  server: ReachableServer,
  fields: Record<string, string>,
  resource: string | null = server.url,
): Promise<Response> {
  const refreshing = fields.grant_type === 'refresh_token'
  return await postForm(server, '/api/auth/oauth2/token', {
    ...(refreshing ? {} : { redirect_uri: REDIRECT }),
    ...(resource === null ? {} : { resource }),
    ...fields,
  })
}

export async function postForm(
  server: ReachableServer,
  path: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Response> {
  return await server.fetch(path, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-forwarded-for': randomAddress(),
      ...headers,
    },
    body: new URLSearchParams(fields),
  })
}
