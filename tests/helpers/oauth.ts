import { readJson } from './json.ts'
import { type Person, randomAddress } from './people.ts'
import type { TestServer } from './server.ts'

const REDIRECT = 'http://127.0.0.1:39999/callback'

interface TokenAnswer {
  access_token: string
  refresh_token?: string
  expires_in: number
  scope: string
}

/** The whole way of a native client: registration, consent of the person, code, token. */
export async function obtainToken(server: TestServer, person: Person, scope: string): Promise<TokenAnswer> {
  const client = await registerClient(server)
  const { verifier, challenge } = createPkcePair()
  const code = await authorize(server, person, { clientId: client, scope, challenge })
  const answer = await exchange(server, {
    grant_type: 'authorization_code',
    code,
    client_id: client,
    code_verifier: verifier,
  })
  if (answer.status !== 200)
    throw new Error(`The token endpoint answered ${answer.status}: ${await answer.text()}`)
  return await readJson<TokenAnswer>(answer)
}

export async function registerClient(server: TestServer): Promise<string> {
  const answer = await server.fetch('/api/auth/oauth2/register', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': randomAddress() },
    body: JSON.stringify({
      client_name: 'A test client',
      redirect_uris: [REDIRECT],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    }),
  })
  if (answer.status !== 201) throw new Error(`Registration answered ${answer.status}: ${await answer.text()}`)
  return (await readJson<{ client_id: string }>(answer)).client_id
}

export function createPkcePair(): { verifier: string; challenge: string } {
  const verifier = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')
  const challenge = new Bun.CryptoHasher('sha256').update(verifier).digest('base64url')
  return { verifier, challenge }
}

/** Asks for a code and accepts on the consent page; answers the code. */
export async function authorize(
  server: TestServer,
  person: Person,
  { clientId, scope, challenge }: { clientId: string; scope: string; challenge: string | null },
): Promise<string> {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT,
    scope,
    state: 'x',
  })
  query.set('resource', server.url)
  if (challenge !== null) {
    query.set('code_challenge', challenge)
    query.set('code_challenge_method', 'S256')
  }
  const asked = await person.fetch(`/api/auth/oauth2/authorize?${query.toString()}`)
  const page = new URL(asked.headers.get('location') ?? '', server.url)
  if (page.searchParams.has('error')) throw new Error(`authorize: ${page.searchParams.get('error')}`)
  const consent = await person.json('POST', '/api/auth/oauth2/consent', {
    accept: true,
    oauth_query: page.search.slice(1),
  })
  const { url } = await readJson<{ url: string }>(consent)
  const code = new URL(url).searchParams.get('code')
  if (!code) throw new Error(`No code in ${url}`)
  return code
}

export async function exchange(server: TestServer, fields: Record<string, string>): Promise<Response> {
  const refreshing = fields.grant_type === 'refresh_token'
  return await server.fetch('/api/auth/oauth2/token', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': randomAddress() },
    body: new URLSearchParams({
      ...fields,
      ...(refreshing ? {} : { redirect_uri: REDIRECT }),
      resource: server.url,
    }),
  })
}
