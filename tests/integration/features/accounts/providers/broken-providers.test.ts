import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'

import { SignJWT } from 'jose'

import { createLogger } from '../../../../../src/lib/log.ts'
import { readFailure, readJson } from '../../../../helpers/json.ts'
import { randomAddress, readCookies } from '../../../../helpers/people.ts'
import { startTestServer, type TestServer } from '../../../../helpers/server.ts'
import { mergeCookies } from '../../../../helpers/sign-in/factors.ts'
import { type Issuer, makeKey, signToken, startIssuer } from '../../../../helpers/sign-in/issuer.ts'

const DISCOVERY = '/.well-known/openid-configuration'
const KEYS = '/.well-known/jwks'
const CLIENT = { client_id: 'playshelf', client_secret: 'a secret that nobody else has' }
/** As many as a store may have. */
const PROVIDERS = 10
const TOO_LONG = 'x'.repeat(10 * 1024 ** 2)
/** Five seconds, on a busy machine. The slow answers below would take eleven if each had five of its own. */
const SOON_MS = 10_000

let server: TestServer
let providers: { id: string; issuer: Issuer }[]
const lines: string[] = []
const hanging: ((answer: Response) => void)[] = []

beforeAll(async () => {
  // One for all: an RSA key takes a third of a second.
  const key = await makeKey('RS256', 'first')
  const issuers = await Promise.all(Array.from({ length: PROVIDERS }, () => startIssuer(key)))
  providers = issuers.map((issuer, at) => ({ id: `forge-${at}`, issuer }))
  const entries = providers.map(({ id, issuer }) => ({ id, name: 'Forge', issuer: issuer.url, ...CLIENT }))
  const log = createLogger({ level: 'debug', pretty: false, write: (line) => lines.push(line) })
  server = await startTestServer({ TRUST_PROXY: '1', SIGN_IN_PROVIDERS: JSON.stringify(entries) }, { log })
})
afterEach(() => {
  for (const end of hanging.splice(0)) end(new Response('late'))
})
afterAll(async () => {
  await server.stop()
  await Promise.all(providers.map(({ issuer }) => issuer.stop()))
})

const hang = () => new Promise<Response>((resolve) => hanging.push(resolve))

type Answers = Readonly<Record<string, () => Response | Promise<Response>>>

/** What one sign-in was told by the provider. */
interface Told {
  nonce: string
  idToken: (claims?: object) => Promise<string>
}

/** One that answers as it should but for these paths. Those that were never discovered have nothing cached and come again. */
function takeProvider(answers: (told: Told, issuer: Issuer) => Answers = () => ({})) {
  const provider = providers.shift()
  if (!provider) throw new Error('Start more providers')
  providers.push(provider)
  const { id, issuer } = provider
  const told: Told = {
    nonce: '',
    idToken: (claims) => signToken(issuer.key, claimsOf(issuer, told.nonce, claims)),
  }
  const healthy: Answers = {
    [DISCOVERY]: () =>
      Response.json({
        issuer: issuer.url,
        authorization_endpoint: `${issuer.url}/authorize`,
        token_endpoint: `${issuer.url}/token`,
        userinfo_endpoint: `${issuer.url}/me`,
        jwks_uri: `${issuer.url}${KEYS}`,
      }),
    '/token': async () => Response.json({ id_token: await told.idToken(), access_token: 'bearer-of-robin' }),
  }
  const own = { ...healthy, ...answers(told, issuer) }
  issuer.answer = (path) => own[path]?.()
  return { id, issuer, told }
}

function claimsOf({ url }: Issuer, nonce: string, changes: object = {}) {
  const now = Math.floor(Date.now() / 1000)
  const person = {
    sub: crypto.randomUUID(),
    email: `${crypto.randomUUID()}@example.org`,
    email_verified: true,
  }
  return { iss: url, aud: CLIENT.client_id, iat: now, exp: now + 300, nonce, ...person, ...changes }
}

async function begin(id: string) {
  const address = randomAddress()
  const answer = await server.fetch('/api/auth/sign-in/social', {
    method: 'POST',
    headers: { origin: server.url, 'x-forwarded-for': address, 'content-type': 'application/json' },
    body: JSON.stringify({ provider: id, callbackURL: '/account', errorCallbackURL: '/sign-in' }),
  })
  return { answer, address }
}

/** The browser from the button to the page it lands on. */
async function signIn({ id, told }: { id: string; told: Told }) {
  const { answer, address } = await begin(id)
  expect(answer.status).toBe(200)
  const query = new URL((await readJson<{ url: string }>(answer)).url).searchParams
  told.nonce = query.get('nonce') ?? ''
  const cookie = readCookies(answer)
  const back = new URLSearchParams({ code: 'a-code-of-forge', state: query.get('state') ?? '' })
  const landed = await server.fetch(`/api/auth/callback/${id}?${back.toString()}`, {
    headers: { 'x-forwarded-for': address, cookie },
  })
  const after = mergeCookies(cookie, readCookies(landed))
  const to = landed.headers.get('location') ?? ''
  const me = await server.fetch('/api/v1/private/me', { headers: { cookie: after } })
  const page = await server.fetch(to.replace(server.url, ''), { headers: { accept: 'text/html' } })
  return { isSignedIn: me.status === 200, to, page: await page.text() }
}

const REFUSAL =
  /The other side did not (?:answer|say who you are) in time, or not as it should\. Try again later/

describe('before the person leaves for the provider', () => {
  test.each<[string, () => Response | Promise<Response>, string]>([
    ['that does not answer', hang, 'in time'],
    ['with a discovery document of 10 MB', () => Response.json({ padding: TOO_LONG }), 'more than'],
    ['that redirects', () => Response.redirect('http://127.0.0.1:9/', 302), 'answered 302'],
    ['that sends no JSON', () => new Response('<html>'), 'answered 200'],
    ['that speaks for another', () => Response.json({ issuer: 'https://other.example' }), 'another issuer'],
  ])('a provider %s is told in a sentence', async (_, discovery, reason) => {
    const { id } = takeProvider(() => ({ [DISCOVERY]: discovery }))
    const started = performance.now()
    const { answer } = await begin(id)
    const failure = await readFailure(answer)
    expect(failure.status).toBe(503)
    expect(failure.message).toContain('Forge cannot be used to sign in right now')
    expect(failure.message).toContain(reason)
    expect(performance.now() - started).toBeLessThan(SOON_MS)
  })
})

describe('when the person comes back', () => {
  test('a provider that answers as it should signs in', async () => {
    const provider = takeProvider()
    expect(await signIn(provider)).toMatchObject({ isSignedIn: true, to: '/account' })
  })

  test('slow answers wait five seconds in all, not each', async () => {
    const late = async (answer: () => Response | Promise<Response>) => {
      await Bun.sleep(3000)
      return await answer()
    }
    const provider = takeProvider(({ idToken }, issuer) => ({
      '/token': () =>
        late(async () =>
          Response.json({ id_token: await idToken({ email: undefined }), access_token: 'bearer-of-robin' }),
        ),
      [KEYS]: () => late(() => Response.json({ keys: issuer.keys })),
      '/me': hang,
    }))
    const started = performance.now()
    const { isSignedIn, page } = await signIn(provider)
    expect(performance.now() - started).toBeLessThan(SOON_MS)
    expect(isSignedIn).toBe(false)
    expect(page).toMatch(REFUSAL)
  })

  test.each<[string, (told: Told, issuer: Issuer) => Answers]>([
    ['that sends no tokens', () => ({ '/token': () => Response.json({ error: 'invalid_grant' }) })],
    ['with a key set of 10 MB', () => ({ [KEYS]: () => Response.json({ keys: [], padding: TOO_LONG }) })],
    ['whose key set redirects', () => ({ [KEYS]: () => Response.redirect('http://127.0.0.1:9/', 302) })],
    ['without keys', () => ({ [KEYS]: () => Response.json({ keys: [] }) })],
  ])('a provider %s signs nobody in', async (_, answers) => {
    const { isSignedIn, page } = await signIn(takeProvider(answers))
    expect(isSignedIn).toBe(false)
    expect(page).toMatch(REFUSAL)
  })

  test('a key of another algorithm signs nobody in', async () => {
    const { jwk } = await makeKey('ES256', 'first')
    const { isSignedIn, page } = await signIn(
      takeProvider(() => ({ [KEYS]: () => Response.json({ keys: [jwk] }) })),
    )
    expect(isSignedIn).toBe(false)
    expect(page).toMatch(REFUSAL)
  })
})

describe('a token', () => {
  let provider: ReturnType<typeof takeProvider>
  let forged: (told: Told, issuer: Issuer) => Promise<string>
  beforeAll(() => {
    provider = takeProvider((told, issuer) => ({
      '/token': async () =>
        Response.json({ id_token: await forged(told, issuer), access_token: 'bearer-of-robin' }),
    }))
  })

  const past = Math.floor(Date.now() / 1000) - 3600
  test.each<[string, (told: Told, issuer: Issuer) => Promise<string>]>([
    ['for another program', ({ idToken }) => idToken({ aud: 'another' })],
    [
      'for two programs, of which another asked',
      ({ idToken }) => idToken({ aud: ['playshelf', 'x'], azp: 'x' }),
    ],
    ['of another issuer', ({ idToken }) => idToken({ iss: 'https://other.example' })],
    ['of an hour ago', ({ idToken }) => idToken({ iat: past - 300, exp: past })],
    ['of another sign-in', ({ idToken }) => idToken({ nonce: 'of another sign-in' })],
    ['without a nonce', ({ idToken }) => idToken({ nonce: undefined })],
    ['without a person', ({ idToken }) => idToken({ sub: undefined })],
    [
      'signed with the secret that both sides share',
      (told, issuer) =>
        new SignJWT(claimsOf(issuer, told.nonce))
          .setProtectedHeader({ alg: 'HS256', kid: issuer.key.kid })
          .sign(new TextEncoder().encode(CLIENT.client_secret)),
    ],
    [
      'that nobody signed',
      async (told, issuer) => {
        const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
        return `${part({ alg: 'none' })}.${part(claimsOf(issuer, told.nonce))}.`
      },
    ],
    [
      'signed with a key of its own',
      async (told, issuer) => signToken(await makeKey('RS256', issuer.key.kid), claimsOf(issuer, told.nonce)),
    ],
  ])('%s signs nobody in', async (_, forge) => {
    forged = forge
    const { isSignedIn, page } = await signIn(provider)
    expect(isSignedIn).toBe(false)
    expect(page).toMatch(REFUSAL)
  })
})

test('the log says why, and holds neither codes, tokens nor the shared secret', () => {
  const text = lines.join('\n')
  expect(text).toContain('A sign-in by a provider failed')
  expect(text).toContain('Forge cannot be used to sign in right now: its token is for another sign-in')
  for (const secret of [CLIENT.client_secret, 'a-code-of-forge', 'bearer-of-robin', 'eyJ'])
    expect(text).not.toContain(secret)
})
