import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { accounts, sessions } from '../../../../../src/db/schema/accounts.ts'
import { markConfirmed } from '../../../../../src/features/accounts/confirmation.ts'
import type { NewInvitations } from '../../../../../src/features/operate/accounts/model.ts'
import { readData, readJson } from '../../../../helpers/json.ts'
import { insertPublicGame, verifyEmail } from '../../../../helpers/listings.ts'
import { waitForMail } from '../../../../helpers/mails.ts'
import { act, signUpOperator } from '../../../../helpers/operators.ts'
import { asPerson, type Person, randomAddress, readCookies, signUp } from '../../../../helpers/people.ts'
import { findKeptPort } from '../../../../helpers/processes/child.ts'
import { startTestServer, type TestServer } from '../../../../helpers/server.ts'
import { addApp, ageConfirmation, mergeCookies, sendPassword } from '../../../../helpers/sign-in/factors.ts'
import { type OpenIdProvider, startOpenIdProvider } from '../../../../helpers/sign-in/openid-provider.ts'
import { readPage } from '../../../../helpers/site/read-page.ts'
import { submitForm } from '../../../../helpers/site/studio.ts'

let server: TestServer
let forge: OpenIdProvider

beforeAll(async () => {
  const port = findKeptPort()
  forge = await startOpenIdProvider((id) => `http://127.0.0.1:${port}/api/auth/callback/${id}`)
  server = await startTestServer({
    PORT: String(port),
    TRUST_PROXY: '1',
    ROLE: 'all',
    SIGN_IN_PROVIDERS: JSON.stringify([
      forge.entry,
      { ...forge.entry, id: 'inside', issuer: 'https://10.0.0.7' },
      { ...forge.entry, id: 'gone', issuer: 'http://127.0.0.1:9' },
    ]),
  })
})
afterAll(async () => {
  await server.stop()
  await forge.stop()
})

const signUpAt = (sub: string, email: string, email_verified = true) => {
  forge.identity = { sub, email, email_verified, name: `Name of ${sub}` }
}

interface Landing {
  location: string
  cookie: string
  /** Whether the browser is signed in afterwards, and as whom. */
  me: { uid: string; email: string; email_verified: boolean; username: string } | null
}

/** The browser from the button to the page it lands on. */
async function continueWithForge(
  person?: Person,
  path = '/api/auth/sign-in/social',
  errorCallbackURL?: string,
): Promise<Landing> {
  const address = person?.address ?? randomAddress()
  const headers = { origin: server.url, 'x-forwarded-for': address, 'content-type': 'application/json' }
  const sent = person?.cookie ?? ''
  const begun = await server.fetch(path, {
    method: 'POST',
    headers: { ...headers, ...(sent && { cookie: sent }) },
    body: JSON.stringify({ provider: 'forge', callbackURL: '/account', errorCallbackURL }),
  })
  const { url } = await readJson<{ url: string }>(begun)
  const cookie = mergeCookies(sent, readCookies(begun))
  const back = await forge.signIn(url)
  const landed = await server.fetch(back.slice(server.url.length), {
    headers: { 'x-forwarded-for': address, cookie },
  })
  const after = mergeCookies(cookie, readCookies(landed))
  const answer = await server.fetch('/api/v1/private/me', { headers: { cookie: after } })
  return {
    location: landed.headers.get('location') ?? '',
    cookie: after,
    me: answer.status === 200 ? await readData(answer) : null,
  }
}

async function sessionOf({ uid }: Person): Promise<string> {
  const [row] = await server.deps.db.select().from(sessions).where(eq(sessions.userId, uid))
  return row?.id ?? ''
}

describe('sign-in by an OpenID Connect provider', () => {
  test('has a button on the sign-in page that leads to it', async () => {
    const page = await readPage(server, '/sign-in?next=/library')
    expect(page).toContain('Continue with Forge')
    const left = await server.fetch('/sign-in/with/forge?next=/library', { headers: { accept: 'text/html' } })
    const query = new URL(left.headers.get('location') ?? '').searchParams
    expect(left.headers.get('location')).toStartWith(`${forge.issuer}/auth?`)
    expect(query.get('code_challenge_method')).toBe('S256')
    expect(query.get('nonce')).toMatch(/.{16}/)
  })

  test('makes an account, and signs the same person in to it later', async () => {
    signUpAt('ada', 'ada@example.org')
    const first = await continueWithForge()
    expect(first.location).toEndWith('/account')
    expect(first.me).toMatchObject({ email: 'ada@example.org', email_verified: true })
    const again = await continueWithForge()
    expect(again.me?.uid).toBe(first.me?.uid ?? '')
    const rows = await server.deps.db.select().from(accounts).where(eq(accounts.accountId, 'ada'))
    expect(rows).toMatchObject([
      { providerId: 'forge', accessToken: null, refreshToken: null, idToken: null },
    ])
  })

  test('finishes the Get that a guest began', async () => {
    signUpAt('cleo', 'cleo@example.org', false)
    const game = await insertPublicGame(server, await signUp(server))
    const get = `/games/${game.vanityName}/get`
    const headers = { accept: 'text/html', origin: server.url, 'x-forwarded-for': randomAddress() }
    const asked = await server.fetch(get, { method: 'POST', headers })
    const left = await server.fetch(`/sign-in/with/forge?next=${encodeURIComponent(get)}`, { headers })
    const cookie = mergeCookies(readCookies(asked), readCookies(left))
    const back = await forge.signIn(left.headers.get('location') ?? '')
    const landed = await server.fetch(back.slice(server.url.length), { headers: { ...headers, cookie } })
    expect(landed.headers.get('location')).toEndWith(get)
    const after = { ...headers, cookie: mergeCookies(cookie, readCookies(landed)) }
    const got = await server.fetch(get, { headers: after })
    expect(got.headers.get('location')).toBe(`/games/${game.vanityName}?done=claimed`)
    const page = await (await server.fetch(got.headers.get('location') ?? '', { headers: after })).text()
    expect(page).toContain('We sent a link to cleo@example.org')
  })

  test('an address that is not confirmed there makes an account whose address is not confirmed', async () => {
    signUpAt('bo', 'bo@example.org', false)
    expect((await continueWithForge()).me).toMatchObject({ email_verified: false })
  })

  test('refuses two addresses in one, and says so on the page it came from', async () => {
    signUpAt('two', 'ada@example.org, eve@example.org')
    const landing = await continueWithForge(undefined, undefined, '/sign-in')
    expect(landing.me).toBeNull()
    expect(landing.location).toContain('/sign-in?error=email_not_found')
    expect(await readPage(server, '/sign-in?error=email_not_found')).toContain('e-mail address')
  })

  test.each([true, false])(
    'takes no account over, whether it confirmed the address or not (%p)',
    async (verified) => {
      const owner = await signUp(server)
      await verifyEmail(server, owner)
      signUpAt(`thief-${verified}`, owner.email, verified)
      const landing = await continueWithForge()
      expect(landing.me).toBeNull()
      expect(landing.location).toContain('/sign-in?error=account_not_linked')
    },
  )

  test('is connected by the account’s own session, if both sides confirmed the address', async () => {
    const owner = await signUp(server)
    const link = '/api/auth/link-social'
    const body = { provider: 'forge', callbackURL: '/account' }
    expect((await owner.json('POST', link, body)).status).toBe(403)
    await verifyEmail(server, owner)
    signUpAt(`${owner.uid}-1`, owner.email, false)
    await continueWithForge(owner, link)
    signUpAt(`${owner.uid}-2`, 'somebody-else@example.org')
    await continueWithForge(owner, link)
    const rows = () => server.deps.db.select().from(accounts).where(eq(accounts.userId, owner.uid))
    expect(await rows()).toHaveLength(1)
    await ageConfirmation(server, owner)
    expect((await owner.json('POST', link, body)).status).toBe(403)
    await owner.json('POST', '/api/v1/private/me/confirmation', { password: owner.password })
    signUpAt(`${owner.uid}-3`, owner.email)
    await continueWithForge(owner, link)
    expect(await rows()).toHaveLength(2)
    expect((await continueWithForge()).me?.uid).toBe(owner.uid)
  })

  test('is disconnected by the account page, with a mail, unless nothing else signs in', async () => {
    const owner = await signUp(server)
    await verifyEmail(server, owner)
    signUpAt(`${owner.uid}-4`, owner.email)
    await continueWithForge(owner, '/api/auth/link-social')
    await waitForMail(server, owner.email, 'Your account has a new way to sign in')
    const page = (person: Person) => readPage(person, '/account/security')
    const disconnect = (person: Person) =>
      person.fetch('/account/connections/forge/remove', {
        method: 'POST',
        headers: { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' },
      })
    expect(await page(owner)).toContain('Disconnect')
    const done = await disconnect(owner)
    expect(done.headers.get('location')).toBe('/account/security?done=provider-removed#security')
    expect(await page(owner)).not.toContain('Disconnect')
    expect((await waitForMail(server, owner.email, 'A way to sign in was removed')).text).toContain('Forge')
    expect((await continueWithForge()).me).toBeNull()
    expect((await disconnect(owner)).status).toBe(404)

    signUpAt('hal', 'hal@example.org')
    const { cookie, me } = await continueWithForge()
    const hal = asPerson(server, { ...owner, uid: me?.uid ?? '', cookie })
    const refused = await disconnect(hal)
    expect(refused.status).toBe(409)
    expect(await refused.text()).toContain('the only way to sign in to your account')
    expect((await continueWithForge()).me?.uid).toBe(hal.uid)
    const own = await owner.json('POST', '/api/auth/unlink-account', { accountId: owner.uid })
    expect(own.status).toBe(404)
  })

  test('a connection that failed is told on the account page', async () => {
    const owner = await signUp(server)
    await verifyEmail(server, owner)
    signUpAt(`${owner.uid}-5`, 'somebody-else@example.org')
    const { location } = await continueWithForge(owner, '/api/auth/link-social', '/account')
    expect(location).toContain('/account?error=')
    expect(await readPage(owner, location.replace(server.url, ''))).toContain(
      'is not the one of this account',
    )
  })

  test('is followed by the second step where the account has one', async () => {
    signUpAt('cy', 'cy@example.org')
    const { cookie, me } = await continueWithForge()
    const person = asPerson(server, {
      uid: me?.uid ?? '',
      name: '',
      email: 'cy@example.org',
      password: '',
      address: randomAddress(),
      cookie,
    })
    await addApp(person)
    const again = await continueWithForge()
    expect(again.me).toBeNull()
    expect(again.location).toContain('/second-step?next=')
  })

  test('the account page asks for no password that the account does not have', async () => {
    signUpAt('fay', 'fay@example.org')
    const { cookie, me } = await continueWithForge()
    const person = asPerson(server, {
      uid: me?.uid ?? '',
      name: '',
      email: 'fay@example.org',
      password: '',
      address: randomAddress(),
      cookie,
    })
    const open = (path: string) => readPage(person, path)
    const page = (await open('/account/security')) + (await open('/account/data'))
    expect(page).toContain('Delete account')
    expect(page).not.toContain('type="password"')
    expect(page).not.toContain('Change password')
    const send = (path: string, form: Record<string, string>) =>
      submitForm(person, path, form, { referer: `${server.url}/account` })
    const acts = { '/account/email': { newEmail: 'fay-moved@example.org' }, '/account/delete': {} }
    await ageConfirmation(server, person)
    for (const [path, form] of Object.entries(acts)) {
      expect((await send(path, form)).headers.get('location')).toBe('/confirm?next=%2Faccount')
    }
    const { deps } = server
    await markConfirmed(deps, { userUid: person.uid, sessionUid: await sessionOf(person) })
    expect((await send('/account/email', acts['/account/email'])).headers.get('location')).toContain(
      'done=email',
    )
    expect((await send('/account/delete', {})).headers.get('location')).toBe('/sign-in?done=deleted')
  })

  test('a password that is never checked proves nothing', async () => {
    signUpAt('gus', 'gus@example.org')
    const { cookie, me } = await continueWithForge()
    const person = asPerson(server, {
      uid: me?.uid ?? '',
      name: '',
      email: 'gus@example.org',
      password: '',
      address: randomAddress(),
      cookie,
    })
    const confirmedUntil = async () =>
      (await readData<{ confirmed_until: string }>(await person.fetch('/api/v1/private/me/factors')))
        .confirmed_until
    const before = await confirmedUntil()
    const move = { newEmail: 'gus-moved@example.org', password: 'anything' }
    expect((await person.json('POST', '/api/auth/change-email', move)).status).toBe(200)
    expect(await confirmedUntil()).toBe(before)
  })

  test('an account without a password moves its address and ends by a confirmed session', async () => {
    signUpAt('di', 'di@example.org')
    const { cookie, me } = await continueWithForge()
    const person = asPerson(server, {
      uid: me?.uid ?? '',
      name: '',
      email: 'di@example.org',
      password: '',
      address: randomAddress(),
      cookie,
    })
    const move = { newEmail: 'di-moved@example.org' }
    await ageConfirmation(server, person)
    expect((await person.json('POST', '/api/auth/change-email', move)).status).toBe(403)
    expect((await person.json('DELETE', '/api/v1/private/me', {})).status).toBe(403)
    const fresh = await continueWithForge()
    const confirmed = asPerson(server, { ...person, cookie: fresh.cookie })
    expect((await confirmed.json('POST', '/api/auth/change-email', move)).status).toBe(200)
    expect((await confirmed.json('DELETE', '/api/v1/private/me', {})).status).toBe(200)
  })

  test.each(['gone', 'inside'])('a provider that is %s is told in a sentence, soon', async (provider) => {
    const answer = await server.fetch('/api/auth/sign-in/social', {
      method: 'POST',
      headers: { origin: server.url, 'content-type': 'application/json' },
      body: JSON.stringify({ provider, callbackURL: '/account' }),
    })
    expect(answer.status).toBe(503)
    expect(await answer.text()).toContain('Forge cannot be used to sign in right now')
  })

  test('a made-up answer of the provider signs nobody in', async () => {
    const answer = await server.fetch('/api/auth/callback/forge?code=x&state=made-up', {})
    expect(answer.headers.get('location')).toContain('error=')
    expect(answer.headers.getSetCookie().join()).not.toContain('session_token=ey')
  })

  test('a password reset of an account that nobody confirmed ends what its maker connected', async () => {
    signUpAt('eve', 'victim@example.org', false)
    const { me } = await continueWithForge()
    const { queries } = { queries: await import('../../../../../src/features/accounts/queries.ts') }
    expect(me?.email_verified).toBe(false)
    const { createAccessEnd } = await import('../../../../../src/features/accounts/sessions/end-access.ts')
    const user = { id: me?.uid ?? '', email: 'victim@example.org', emailVerified: false }
    await createAccessEnd(server.deps).onPasswordReset({ user })
    expect(await queries.findUser(server.deps.db, user.id)).toMatchObject({ emailVerified: true })
    const after = await continueWithForge()
    expect(after.me).toBeNull()
  })
})

describe('a store that does not let everyone in', () => {
  let operator: Person
  beforeAll(async () => {
    operator = await signUpOperator(server)
  })
  const patch = (sign_up: string | null) => operator.json('PATCH', '/api/v1/operator/settings', { sign_up })
  const explain = ({ location }: Landing) => readPage(server, location.replace(server.url, ''))
  /** Comes by the link of an invitation. */
  const invited = async (code: string): Promise<Person> => {
    const page = await server.fetch(`/sign-up?invite=${code}`, { headers: { accept: 'text/html' } })
    expect(await page.text()).toContain('Continue with Forge')
    return asPerson(server, { ...operator, address: randomAddress(), cookie: readCookies(page) })
  }

  test('takes an invitation from those who come by a provider, once', async () => {
    signUpAt('known', 'known@example.org')
    const known = await continueWithForge()
    await patch('invite')
    expect((await continueWithForge()).me?.uid).toBe(known.me?.uid ?? '')
    signUpAt('stranger', 'stranger@example.org')
    const refused = await continueWithForge()
    expect(refused.me).toBeNull()
    expect(await explain(refused)).toContain('Open the link of your invitation')
    const { codes } = await readData<NewInvitations>(await act(operator, 'invites', { uses: 1 }))
    const landed = await continueWithForge(await invited(codes[0] ?? ''))
    expect(landed.me).toMatchObject({ email: 'stranger@example.org' })
    signUpAt('second', 'second@example.org')
    expect((await continueWithForge(await invited(codes[0] ?? ''))).me).toBeNull()
    await patch(null)
  })

  test('and is closed lets in only whom operators added, by the address that the provider tells', async () => {
    await patch('closed')
    const { codes } = await readData<NewInvitations>(await act(operator, 'invites', { uses: 9 }))
    signUpAt('guest', 'guest@example.org')
    expect((await continueWithForge(await invited(codes[0] ?? ''))).me).toBeNull()
    await act(operator, 'accounts', { email: 'guest@example.org' })
    const mail = await waitForMail(server, 'guest@example.org', 'Your account at Playshelf')
    const code = new URL(mail.link).searchParams.get('invite') ?? ''
    signUpAt('thief', 'thief@example.org')
    expect((await continueWithForge(await invited(code))).me).toBeNull()
    signUpAt('guest', 'guest@example.org')
    expect((await continueWithForge(await invited(code))).me).toMatchObject({ email: 'guest@example.org' })
    await patch(null)
  })
})

describe('PASSWORD_SIGN_IN=off', () => {
  test('leaves only providers and passkeys', async () => {
    const providers = JSON.stringify([forge.entry])
    const closed = await startTestServer({ SIGN_IN_PROVIDERS: providers, PASSWORD_SIGN_IN: 'off' })
    try {
      const person = { email: 'a@example.org', password: 'a long password', address: randomAddress() }
      const { answer } = await sendPassword(closed, person)
      expect(answer.status).toBe(403)
      expect(await answer.text()).toContain('uses no passwords')
      const page = await readPage(closed, '/sign-in')
      expect(page).toContain('Continue with Forge')
      expect(page).not.toContain('type="password"')
      expect(await signUp(closed).catch(String)).toContain('403')
    } finally {
      await closed.stop()
    }
  })
})
