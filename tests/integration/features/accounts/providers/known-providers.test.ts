import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { KNOWN_PROVIDERS, type KnownProvider } from '../../../../../src/config/services.ts'
import { accounts, users } from '../../../../../src/db/schema/accounts.ts'
import { readData, readJson } from '../../../../helpers/json.ts'
import { verifyEmail } from '../../../../helpers/listings.ts'
import { waitForMail } from '../../../../helpers/mails.ts'
import { type Person, randomAddress, readCookies, signUp } from '../../../../helpers/people.ts'
import { startTestServer, type TestServer } from '../../../../helpers/server.ts'
import { mergeCookies } from '../../../../helpers/sign-in/factors.ts'

interface Identity {
  id: string
  email: string
  isVerified: boolean
}

type Answers = Readonly<Record<string, (identity: Identity) => object>>
const TOKENS = { access_token: 'token-of-the-provider', token_type: 'bearer', expires_in: 3600 }

/** What each provider answers, in its own wire format. */
const WIRE: Readonly<Record<KnownProvider, Answers>> = {
  github: {
    'https://github.com/login/oauth/access_token': () => ({
      access_token: TOKENS.access_token,
      scope: 'read:user,user:email',
      token_type: 'bearer',
    }),
    'https://api.github.com/user': ({ id }) => ({
      login: 'robin',
      id: Number(id),
      type: 'User',
      name: null,
      email: null,
      avatar_url: 'https://avatars.githubusercontent.com/u/1?v=4',
    }),
    'https://api.github.com/user/emails': ({ email, isVerified }) => [
      { email: 'old@example.org', primary: false, verified: true, visibility: null },
      { email, primary: true, verified: isVerified, visibility: 'private' },
    ],
  },
  google: {
    'https://oauth2.googleapis.com/token': ({ id, email, isVerified }) => ({
      ...TOKENS,
      scope: 'openid email profile',
      id_token: [
        '{"alg":"RS256"}',
        JSON.stringify({ sub: id, email, email_verified: isVerified, name: 'Robin' }),
        'x',
      ]
        .map((part) => Buffer.from(part).toString('base64url'))
        .join('.'),
    }),
  },
  discord: {
    'https://discord.com/api/oauth2/token': () => ({
      ...TOKENS,
      scope: 'identify email',
      refresh_token: 'r',
    }),
    'https://discord.com/api/users/@me': ({ id, email, isVerified }) => ({
      id,
      username: 'robin',
      discriminator: '0',
      global_name: 'Robin',
      avatar: null,
      verified: isVerified,
      email,
    }),
  },
  gitlab: {
    'https://gitlab.com/oauth/token': () => ({ ...TOKENS, scope: 'read_user', refresh_token: 'r' }),
    'https://gitlab.com/api/v4/user': ({ id, email, isVerified }) => ({
      id: Number(id),
      username: 'robin',
      name: 'Robin',
      state: 'active',
      locked: false,
      avatar_url: 'https://gitlab.com/uploads/-/system/user/avatar/1/avatar.png',
      email,
      confirmed_at: isVerified ? '2024-05-23T09:05:22Z' : null,
    }),
  },
}

const AUTHORIZE: Readonly<Record<KnownProvider, string>> = {
  github: 'https://github.com/login/oauth/authorize',
  google: 'https://accounts.google.com/o/oauth2/v2/auth',
  discord: 'https://discord.com/api/oauth2/authorize',
  gitlab: 'https://gitlab.com/oauth/authorize',
}

let server: TestServer
let identity: Identity
/** The requests that reached the double: address, authorization and body. */
const asked: { url: string; authorization: string | null; body: string }[] = []
const outside = globalThis.fetch

beforeAll(async () => {
  const doubles: Answers = Object.assign({}, ...Object.values(WIRE))
  const answer = async (input: Request | URL | string, init?: RequestInit): Promise<Response> => {
    const request = input instanceof Request ? new Request(input, init) : new Request(String(input), init)
    const double = doubles[decodeURIComponent(request.url)]
    if (!double) return await outside(request)
    const body = await request.text()
    asked.push({ url: request.url, authorization: request.headers.get('authorization'), body })
    return Response.json(double(identity))
  }
  globalThis.fetch = Object.assign(answer, { preconnect: outside.preconnect })
  const entries = KNOWN_PROVIDERS.map((id) => ({
    id,
    client_id: `client of ${id}`,
    client_secret: `secret of ${id}`,
  }))
  server = await startTestServer({
    TRUST_PROXY: '1',
    ROLE: 'all',
    SIGN_IN_PROVIDERS: JSON.stringify(entries),
  })
})
afterAll(async () => {
  globalThis.fetch = outside
  await server.stop()
})

function becomes(email: string, isVerified: boolean): void {
  identity = { id: String(Math.floor(Math.random() * 1e9)), email, isVerified }
}

async function continueWith(provider: KnownProvider, person?: Person) {
  const address = person?.address ?? randomAddress()
  const sent = person?.cookie ?? ''
  const begun = await server.fetch(person ? '/api/auth/link-social' : '/api/auth/sign-in/social', {
    method: 'POST',
    headers: {
      origin: server.url,
      'x-forwarded-for': address,
      'content-type': 'application/json',
      ...(sent && { cookie: sent }),
    },
    body: JSON.stringify({ provider, callbackURL: '/account', errorCallbackURL: '/sign-in' }),
  })
  const url = new URL((await readJson<{ url: string }>(begun)).url)
  const cookie = mergeCookies(sent, readCookies(begun))
  const back = new URLSearchParams({ code: 'a-code', state: url.searchParams.get('state') ?? '' })
  const landed = await server.fetch(`/api/auth/callback/${provider}?${back.toString()}`, {
    headers: { 'x-forwarded-for': address, cookie },
  })
  const after = mergeCookies(cookie, readCookies(landed))
  const me = await server.fetch('/api/v1/private/me', { headers: { cookie: after } })
  return {
    url,
    to: landed.headers.get('location') ?? '',
    me:
      me.status === 200 ? await readData<{ uid: string; email: string; email_verified: boolean }>(me) : null,
  }
}

const connections = (uid: string) => server.deps.db.select().from(accounts).where(eq(accounts.userId, uid))

describe.each([...KNOWN_PROVIDERS])('sign-in by %s', (provider) => {
  test('makes an account with the address as it is confirmed there, and knows the person again', async () => {
    const email = `${provider}-${crypto.randomUUID()}@example.org`
    becomes(email, true)
    asked.length = 0
    const first = await continueWith(provider)
    expect(first.url.origin + first.url.pathname).toBe(AUTHORIZE[provider])
    expect(first.url.searchParams.get('client_id')).toBe(`client of ${provider}`)
    expect(first.url.searchParams.get('redirect_uri')).toBe(`${server.url}/api/auth/callback/${provider}`)
    expect(first.me).toMatchObject({ email, email_verified: true })
    const [token, ...rest] = asked
    const secret = `${token?.body} ${Buffer.from(token?.authorization?.split(' ')[1] ?? '', 'base64').toString()}`
    expect(decodeURIComponent(secret.replaceAll('+', ' '))).toContain(`secret of ${provider}`)
    for (const { authorization } of rest) expect(authorization).toBe(`Bearer ${TOKENS.access_token}`)
    expect((await continueWith(provider)).me?.uid).toBe(first.me?.uid ?? '')
    const rows = await connections(first.me?.uid ?? '')
    expect(rows).toMatchObject([
      { providerId: provider, accountId: identity.id, accessToken: null, refreshToken: null, idToken: null },
    ])
  })

  test.each([
    'robin@example.org, eve@example.org',
    'robin',
    '"robin" <robin@example.org>',
    `${'r'.repeat(300)}@example.org`,
  ])('refuses an address that is none: %s', async (email) => {
    becomes(email, true)
    const landing = await continueWith(provider)
    expect(landing).toMatchObject({ me: null, to: expect.stringContaining('/sign-in?error=') })
    expect(await server.deps.db.$count(users, eq(users.email, email.toLowerCase()))).toBe(0)
  })

  test('trims the address', async () => {
    const email = `${provider}-${crypto.randomUUID()}@example.org`
    becomes(` ${email}\n`, true)
    expect((await continueWith(provider)).me).toMatchObject({ email })
  })

  test.each([true, false])(
    'takes over no account with the address, confirmed there: %p',
    async (isVerified) => {
      const owner = await signUp(server)
      await verifyEmail(server, owner)
      becomes(owner.email, isVerified)
      expect(await continueWith(provider)).toMatchObject({
        me: null,
        to: expect.stringContaining('error=account_not_linked'),
      })
      expect(await connections(owner.uid)).toHaveLength(1)
    },
  )

  test('is connected by the person only with an address that it confirmed', async () => {
    const owner = await signUp(server)
    await verifyEmail(server, owner)
    becomes(owner.email, false)
    expect((await continueWith(provider, owner)).to).toContain('error=unable_to_link_account')
    expect(await connections(owner.uid)).toHaveLength(1)
    becomes(owner.email, true)
    expect((await continueWith(provider, owner)).to).toEndWith('/account')
    expect(await connections(owner.uid)).toHaveLength(2)
    const mail = await waitForMail(server, owner.email, 'Your account has a new way to sign in')
    expect(mail.text.toLowerCase()).toContain(`the sign-in by ${provider}`)
    expect((await continueWith(provider)).me?.uid).toBe(owner.uid)
  })
})

test('an unconfirmed address makes an account whose address is not confirmed', async () => {
  becomes(`new-${crypto.randomUUID()}@example.org`, false)
  expect((await continueWith('github')).me).toMatchObject({ email_verified: false })
})
