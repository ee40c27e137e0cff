import { afterEach, beforeEach, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { users } from '../../../../src/db/schema/accounts.ts'
import { setupTokens } from '../../../../src/db/schema/settings.ts'
import type { Act } from '../../../../src/features/audit/model.ts'
import { reindex } from '../../../../src/features/catalog/search/reindex.ts'
import { createSetupAddress, SETUP_TOKENS_MAX } from '../../../../src/features/operate/setup/service.ts'
import type { PublicStore } from '../../../../src/features/settings/model.ts'
import { createLogger } from '../../../../src/lib/log.ts'
import type { Paged } from '../../../../src/lib/paging.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { insertPublicGame } from '../../../helpers/listings.ts'
import { signUpOperator } from '../../../helpers/operators.ts'
import { asPerson, readCookies, signUp } from '../../../helpers/people.ts'
import { startTestServer, type TestServer } from '../../../helpers/server.ts'
import { addApp } from '../../../helpers/sign-in/factors.ts'
import { readPage } from '../../../helpers/site/read-page.ts'
import { waitFor } from '../../../helpers/wait.ts'

const SHARED_DOMAIN = 'PLAY_URL and BASE_URL share the domain example.org'

let server: TestServer
beforeEach(async () => {
  server = await startTestServer({ TRUST_PROXY: '1' })
})
afterEach(() => server.stop())

const createToken = async () =>
  new URL((await createSetupAddress(server.deps)) ?? 'http://none').searchParams.get('token') ?? ''
const open = async (path: string, headers: Record<string, string> = {}) => {
  const page = await server.fetch(path, { headers: { accept: 'text/html', ...headers } })
  return { status: page.status, text: await page.text(), headers: page.headers }
}
const entered = (token: string) => ({
  token,
  store_name: 'Lantern Games',
  accent: '#0f766e',
  sign_up: 'invite',
  publishing: 'approved',
  name: 'Ada',
  email: `${crypto.randomUUID()}@example.org`,
  password: 'a long enough password',
})
const send = (fields: Record<string, string>, to = server) =>
  to.fetch('/setup', {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'text/html',
      origin: to.deps.config.baseUrl,
    },
    body: new URLSearchParams(fields).toString(),
  })
const countOperators = () => server.deps.db.$count(users, eq(users.operator, true))

describe('a store that nobody runs', () => {
  test('is set up once by whoever has the address: settings, operator, session', async () => {
    expect((await open('/')).text).toContain('This store is being prepared')
    const token = await createToken()
    const page = await open(`/setup?token=${token}`)
    expect(page.status).toBe(200)
    expect(page.headers.get('cache-control')).toBe('private, no-store')
    const answer = await send(entered(token))
    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      '/account/security?done=setup#security',
    ])
    const cookie = readCookies(answer)
    expect((await open('/account/security?done=setup', { cookie })).text).toContain('Your store is set up')
    const operate = await open('/operate', { cookie })
    expect(operate.status).toBe(200)
    expect(operate.text).toContain('Before you open')
    const store = await readData<PublicStore>(await server.fetch('/api/v1/public/store'))
    expect(store).toMatchObject({
      name: 'Lantern Games',
      accent: '#0f766e',
      sign_up: 'invite',
      publishing: 'approved',
    })
    const audit = await server.fetch('/api/v1/operator/audit', { headers: { cookie } })
    const { items } = await readData<Paged<Act>>(audit)
    expect(items.map(({ act }) => act).toSorted()).toEqual(['add_operator', 'change_settings'])
    for (const known of [token, await createToken()])
      expect((await open(`/setup?token=${known}`)).status).toBe(404)
    expect((await send(entered(token))).status).toBe(404)
    expect(await countOperators()).toBe(1)
    await waitFor('the home page', async () => !(await open('/')).text.includes('being prepared'))
  })

  test('keeps only hashes of a few addresses, for a day', async () => {
    const token = await createToken()
    for (let start = 0; start < SETUP_TOKENS_MAX + 3; start += 1) await createToken()
    const rows = await server.deps.db.select().from(setupTokens)
    expect(rows).toHaveLength(SETUP_TOKENS_MAX)
    expect(JSON.stringify(rows)).not.toContain(token)
    expect((await open(`/setup?token=${token}`)).status).toBe(404)
    const last = await createToken()
    const [newest] = rows.map(({ expiresAt }) => expiresAt.getTime()).toSorted((a, b) => b - a)
    expect((newest ?? 0) - Date.now()).toBeLessThanOrEqual(24 * 3_600_000)
    expect((await open(`/setup?token=${last}`)).status).toBe(200)
    await server.deps.db.update(setupTokens).set({ expiresAt: new Date() })
    expect((await open(`/setup?token=${last}`)).status).toBe(404)
    expect((await send(entered(last))).status).toBe(404)
    expect((await open('/setup')).status).toBe(404)
    expect(await countOperators()).toBe(0)
  })

  test('says what is wrong at each field, and the address still works', async () => {
    const token = await createToken()
    const someone = await signUp(server)
    const [account] = await server.deps.db.select().from(users).where(eq(users.id, someone.uid))
    const cases: [fields: Record<string, string>, said: string][] = [
      [{ store_name: '' }, 'href="#store_name"'],
      [{ accent: 'red' }, 'must be a colour'],
      [{ sign_up: 'maybe' }, 'href="#sign_up"'],
      [{ email: 'nobody' }, 'Enter a whole e-mail address'],
      [{ password: 'short' }, 'A password has'],
      [{ email: account?.email ?? '' }, 'There is an account with this address'],
    ]
    for (const [fields, said] of cases) {
      const answer = await send({ ...entered(token), ...fields })
      expect(answer.status).toBeGreaterThanOrEqual(400)
      const text = await answer.text()
      expect(text).toContain(said)
      expect(text).toContain(token)
    }
    expect((await readData<PublicStore>(await server.fetch('/api/v1/public/store'))).name).toBe('Playshelf')
    expect((await send(entered(token))).status).toBe(303)
  })

  test('is set up after a start that broke off when it had made the account', async () => {
    const { email, password } = await signUp(server)
    const fields = { ...entered(await createToken()), email, password }
    const stranger = await send({ ...fields, password: 'not the password of it' })
    expect([stranger.status, await countOperators()]).toEqual([409, 0])
    const answer = await send(fields)
    expect(answer.status).toBe(303)
    expect((await open('/operate', { cookie: readCookies(answer) })).status).toBe(200)
  })

  test('gets one operator, however many set it up at the same time', async () => {
    const tokens = [await createToken(), await createToken()]
    const answers = await Promise.all([...tokens, ...tokens].map((token) => send(entered(token))))
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1)
    expect(await countOperators()).toBe(1)
  })

  test('that others can reach asks its operator for a second factor before anything is changed', async () => {
    const lines: string[] = []
    const log = createLogger({ level: 'warn', pretty: false, write: (line) => lines.push(line) })
    const remote = await startTestServer(
      { TRUST_PROXY: '1', BASE_URL: 'https://games.example.org', PLAY_URL: 'https://*.play.example.org' },
      { log },
    )
    try {
      expect(lines.join('')).toContain(SHARED_DOMAIN)
      const address = (await createSetupAddress(remote.deps)) ?? ''
      expect(address).toStartWith('https://games.example.org/setup?token=')
      const token = new URL(address).searchParams.get('token') ?? ''
      const answer = await send(entered(token), remote)
      expect(answer.status).toBe(303)
      const facts = { uid: '', name: 'Ada', email: '', password: '', address: '10.1.2.3' }
      const person = asPerson(
        { url: remote.deps.config.baseUrl, fetch: remote.fetch },
        { ...facts, cookie: readCookies(answer) },
      )
      const rename = () => person.json('PATCH', '/api/v1/operator/settings', { tagline: 'Open' })
      expect(await readFailure(await rename())).toMatchObject({
        code: 4107,
        data: { setup_url: 'https://games.example.org/account' },
      })
      expect(await readPage(person, '/account/security?done=setup')).toContain(
        'This store asks you for a second factor',
      )
      await addApp(person)
      expect((await rename()).status).toBe(200)
      expect(await readPage(person, '/operate')).toContain(SHARED_DOMAIN)
    } finally {
      await remote.stop()
    }
  })

  test('opens its home page with the first listing', async () => {
    const developer = await signUp(server)
    await insertPublicGame(server, developer)
    await reindex(server.deps)
    await waitFor('the home page', async () => !(await open('/')).text.includes('being prepared'))
  })
})

describe('a store that somebody runs', () => {
  test('has no such address', async () => {
    await signUpOperator(server)
    expect(await createSetupAddress(server.deps)).toBeNull()
    const named = await startTestServer({ OPERATORS: 'ada@example.org' })
    expect(await createSetupAddress(named.deps)).toBeNull()
    expect(await readPage(named, '/')).toContain('The shelves are empty')
    await named.stop()
  })

  test('shows what is left to do, until it is done', async () => {
    const operator = await signUpOperator(server)
    const read = () => readPage(operator, '/operate')
    const before = await read()
    for (const said of [
      'Set SMTP_URL and MAIL_FROM',
      'Set SCANNER_URL',
      'yours to back up',
      'privacy, terms, imprint missing',
      'Nothing is published',
      'Nobody can reach you',
    ])
      expect(before).toContain(said)
    const page = (slug: string) => ({ slug, title: slug, markdown: 'x' })
    await operator.json('PATCH', '/api/v1/operator/settings', {
      pages: ['privacy', 'terms', 'imprint'].map(page),
    })
    await insertPublicGame(server, operator)
    const after = await read()
    expect(after).toContain('Privacy, terms and imprint are there')
    expect(after).toContain('The store has a public listing')
  })
})
