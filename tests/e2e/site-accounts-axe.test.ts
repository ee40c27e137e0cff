import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { oauthClients, oauthConsents } from '../../src/db/schema/oauth.ts'
import { createUid } from '../../src/lib/ids.ts'
import { findBrowser, openBrowser, type TestBrowser } from '../helpers/browser.ts'
import { insertLicense, insertPublicGame, setPlayMinutes } from '../helpers/listings.ts'
import { registerClient } from '../helpers/oauth.ts'
import { type Person, randomAddress, signUp } from '../helpers/people.ts'
import { release } from '../helpers/releases.ts'
import { startTestServer, type TestServer } from '../helpers/server.ts'
import { listViolations, measureOverflow } from '../helpers/site-checks.ts'

const installed = findBrowser() !== null
if (!installed && process.env.REQUIRE_ENGINES === '1') throw new Error('Chromium is required and not there')

const LONG_NAME = 'Unpronounceable'.repeat(5)
const SETTINGS = [
  { colorScheme: 'light', width: 320 },
  { colorScheme: 'dark', width: 320 },
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 1280 },
] as const

describe.skipIf(!installed)('pages of accounts, for everyone', () => {
  let server: TestServer
  let opened: TestBrowser
  let newcomer: Person
  let veteran: Person
  let clientId: string
  beforeAll(async () => {
    server = await startTestServer({ TRUST_PROXY: '1' })
    opened = await openBrowser()
    newcomer = await signUp(server)
    veteran = await signUp(server, LONG_NAME)
    clientId = await registerClient(server)
    await fillAccount(veteran)
  }, 60_000)
  afterAll(async () => {
    await opened.close()
    await server.stop()
  })

  /** Everything that the account and the library can show. */
  async function fillAccount(person: Person): Promise<void> {
    await person.json('POST', '/api/v1/private/player-keys', { label: LONG_NAME })
    await person.json('PATCH', '/api/v1/private/me', { hidden_tags: ['gore'], developer_mode: true })
    const id = crypto.randomUUID()
    const values = { id: createUid(), clientId: id, name: LONG_NAME, redirectUris: [] }
    await server.deps.db.insert(oauthClients).values(values)
    const scopes = ['player:read', 'mcp:builds.write', 'offline_access']
    await server.deps.db
      .insert(oauthConsents)
      .values({ id: createUid(), clientId: id, userId: person.uid, scopes })
    const game = await insertPublicGame(server, newcomer, { name: LONG_NAME })
    await release(server, game.uid, { version: '1.0.0' })
    await insertLicense(server, game.uid, person)
    await setPlayMinutes(server, game.uid, person, 90)
  }

  const GUEST_PAGES = [
    '/sign-in',
    '/sign-up',
    '/forgot',
    '/forgot?done=sent',
    '/reset',
    '/reset?token=x',
    '/verify',
  ]
  const consent = () =>
    `/oauth/consent?client_id=${clientId}&redirect_uri=${encodeURIComponent('http://127.0.0.1:39999/cb')}&scope=player:read`

  test.each(SETTINGS)(
    'in $colorScheme at $width px',
    async ({ colorScheme, width }) => {
      const faults: string[] = []
      async function look(person: Person | null, paths: readonly string[], button?: string): Promise<void> {
        const context = await opened.browser.newContext({
          ...{ colorScheme, viewport: { width, height: 800 }, baseURL: server.url },
          extraHTTPHeaders: { 'x-forwarded-for': randomAddress() },
        })
        const [name = '', value = ''] = person?.cookie.split(/=(.*)/s) ?? []
        if (person) await context.addCookies([{ name, value, url: server.url }])
        const page = await context.newPage()
        page.on('console', (message) => message.text().includes('Policy') && faults.push(message.text()))
        for (const path of paths) {
          await page.goto(path)
          if (button !== undefined) await page.getByRole('button', { name: button }).click()
          const found = await listViolations(page)
          if ((await measureOverflow(page)) > 0) found.push('scrolls sideways')
          faults.push(...found.map((fault) => `${path}: ${fault}`))
        }
        await context.close()
      }
      await look(null, [...GUEST_PAGES, consent(), '/approvals/none'])
      await look(null, ['/sign-up'], 'Create account')
      await look(newcomer, ['/library', '/verify'])
      await look(veteran, ['/account', '/library', '/library?q=nothing'])
      await look(veteran, ['/account'], 'Create key')
      await look(veteran, ['/account'], 'Delete account')
      expect(faults).toEqual([])
    },
    240_000,
  )
})
