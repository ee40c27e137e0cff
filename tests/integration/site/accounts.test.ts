import { describe, expect, test } from 'bun:test'

import { HOSTILE_PATHS } from '../../helpers/hostile/hostile-paths.ts'
import { insertAdmin, insertPublicGame } from '../../helpers/listings.ts'
import { randomAddress, signUp } from '../../helpers/people.ts'
import { indexNow } from '../../helpers/search/search.ts'
import { registerClient } from '../../helpers/sign-in/oauth.ts'
import { usePerson, useStore } from '../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const person = usePerson(server)

const send = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  server.fetch(path, {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers: { origin: server.url, 'x-forwarded-for': randomAddress(), accept: 'text/html', ...headers },
  })

const signIn = (next: string) => send('/sign-in', { email: person.email, password: person.password, next })

describe('where signing in leads', () => {
  test.each(['/account', '/search?q=a%20b&tags=cozy', '/library?page=2#list'])('back to %s', async (next) => {
    const answer = await signIn(next)
    expect([answer.status, answer.headers.get('location')]).toEqual([303, next])
    expect(answer.headers.getSetCookie().join()).toContain('playshelf.session_token=')
  })

  // A form with a NUL is refused as a whole.
  test.each(HOSTILE_PATHS.filter((path) => !path.includes('\0')))('never to %p', async (next) => {
    const to = (await signIn(next)).headers.get('location') ?? ''
    expect(to).toStartWith('/')
    expect(new URL(to, server.url).origin).toBe(server.url)
    const page = await server.fetch(`/sign-in?next=${encodeURIComponent(next)}`, {
      headers: { 'x-forwarded-for': randomAddress() },
    })
    expect(await page.text()).toContain('name="next" value="/')
  })

  test.each(HOSTILE_PATHS.filter((path) => path !== ''))(
    'nor does any account route take %p',
    async (path) => {
      const headers = { 'x-forwarded-for': randomAddress() }
      const back = encodeURIComponent(path)
      const opened = await server.fetch(`/api/auth/reset-password/x?callbackURL=${back}`, { headers })
      expect([opened.status, opened.headers.get('location')]).toEqual([400, null])
      for (const field of ['callbackURL', 'redirectTo', 'errorCallbackURL', 'newUserCallbackURL']) {
        const { email, password } = person
        const body = { email, password, [field]: path }
        const answer = await server.fetch('/api/auth/sign-in/email', {
          method: 'POST',
          headers: { ...headers, origin: server.url, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        })
        expect([field, answer.status, answer.headers.get('location')]).toEqual([field, 400, null])
      }
    },
  )

  test('on with the request of a program, whose address the form may lead to', async () => {
    const clientId = await registerClient(server)
    const asked = `client_id=${clientId}&redirect_uri=http%3A%2F%2F127.0.0.1%3A39999%2Fcallback`
    const page = await server.fetch(`/sign-in?${asked}&sig=x&exp=1`)
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self' http://127.0.0.1:39999")
    const text = await page.text()
    const next = asked.replace('&', '&amp;')
    expect(text).toContain(`name="next" value="/api/auth/oauth2/authorize?${next}"`)
  })

  test('a crafted address adds nothing else to the policy', async () => {
    for (const address of ['https://a.example; script-src *', "x:'unsafe-inline'", 'data:text/html,x']) {
      const query = new URLSearchParams({ client_id: 'abc', redirect_uri: address })
      const page = await server.fetch(`/sign-in?${query.toString()}`)
      const policy = page.headers.get('content-security-policy') ?? ''
      expect(policy.split('; ').filter((part) => part.startsWith('script-src'))).toEqual([
        "script-src 'self'",
      ])
      expect(policy).not.toContain('unsafe')
    }
  })
})

describe('the same answer for known and unknown addresses', () => {
  const strip = async (answer: Response, email: string) => [
    answer.status,
    answer.headers.get('location'),
    (await answer.text()).replaceAll(email, ''),
  ]

  test.each(['/sign-in', '/forgot'])('%s', async (path) => {
    const unknown = `nobody-${crypto.randomUUID()}@example.org`
    const ask = async (email: string) =>
      await strip(await send(path, { email, password: 'not the password' }), email)
    expect(await ask(person.email)).toEqual(await ask(unknown))
  })
})

describe('pages of tags that a person hides', () => {
  test('say how many are hidden, and show them when asked', async () => {
    const [owner, reader] = [await signUp(server), await signUp(server)]
    for (const tags of [
      ['gore', 'sea', 'boats'],
      ['cozy', 'sea', 'boats'],
    ]) {
      const game = await insertPublicGame(server, owner, { name: `Harbour ${tags[0]}`, tags })
      await indexNow(server, game.uid)
    }
    await reader.json('PATCH', '/api/v1/private/me', { hidden_tags: ['gore'] })
    const read = async (path: string) => await (await reader.fetch(path)).text()
    for (const path of ['/', '/search?q=harbour']) {
      const page = await read(path)
      expect(page).toContain('1 hidden')
      expect(page).not.toContain('Harbour gore')
    }
    for (const path of ['/?show_hidden=true', '/search?q=harbour&show_hidden=true']) {
      const page = await read(path)
      expect(page).toContain('Harbour gore')
      expect(page).toContain('hide them again')
    }
  })
})

test('pages with forms are never shared, and one that shows a secret is not stored', async () => {
  expect((await person.fetch('/account')).headers.get('cache-control')).toBe('private, no-store')
  const body = new URLSearchParams({ label: 'Laptop', scopes: 'player:read' })
  const made = await person.fetch('/account/keys', { method: 'POST', body })
  expect([made.status, made.headers.get('cache-control')]).toEqual([201, 'private, no-store'])
})

test('the mail of an invitation leads to a page that accepts it', async () => {
  const [owner, guest] = [await signUp(server), await signUp(server)]
  const game = await insertPublicGame(server, owner, { name: 'Harbour Team' })
  await insertAdmin(server, game.uid, guest, 'invited')
  const page = await (await guest.fetch('/dashboard/invites')).text()
  expect(page).toContain('Harbour Team')
  const action = /action="(\/dashboard\/invites\/[^"]+)"/.exec(page)?.[1] ?? ''
  const body = new URLSearchParams({ decision: 'accept' })
  const answer = await guest.fetch(action, { method: 'POST', body })
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/dashboard/invites?done=accept'])
  expect((await guest.fetch(`/api/v1/private/games/${game.uid}`)).status).toBe(200)
  const signedOut = await server.fetch('/dashboard/invites')
  expect(signedOut.headers.get('location')).toBe('/sign-in?next=%2Fdashboard%2Finvites')
})
