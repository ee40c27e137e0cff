import { beforeAll, describe, expect, test } from 'bun:test'

import { AGENT_SCOPES } from '../../../../src/domain/actor.ts'
import { MARKDOWN_ATTACKS } from '../../../helpers/hostile/markdown-attacks.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { insertGame } from '../../../helpers/listings.ts'
import { readMails, waitForMail } from '../../../helpers/mails.ts'
import { bearerOf, postMcp } from '../../../helpers/mcp.ts'
import { act, signUpOperator } from '../../../helpers/operators.ts'
import { signUp } from '../../../helpers/people.ts'
import { readHistory, release } from '../../../helpers/releases.ts'
import { obtainToken } from '../../../helpers/sign-in/oauth.ts'
import { fillSite, type SiteData } from '../../../helpers/site/site-data.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'
import { waitFor } from '../../../helpers/wait.ts'

const NAME = 'متجر 🏮 Lantern'
const PAGES_MAX = 300

const server = useStore({ TRUST_PROXY: '1', ROLE: 'all' })
const operator = usePerson(server, signUpOperator)
let data: SiteData
beforeAll(async () => {
  expect((await patch({ name: NAME, contact: 'help@example.org' })).status).toBe(200)
  data = await fillSite(server)
})

const patch = (body: object) => operator.json('PATCH', '/api/v1/operator/settings', body)

const STARTS = [
  '/',
  '/search',
  '/rules',
  '/docs',
  '/sign-in',
  '/sign-up',
  '/forgot',
  '/verify',
  '/reset',
  '/no-such-page',
  '/account',
  '/library',
  '/studio',
  '/operate',
  '/operate/settings',
  '/operate/invites',
  '/operate/queue',
  '/feed.xml',
  '/robots.txt',
  '/sitemap.xml',
  '/manifest.webmanifest',
  '/.well-known/security.txt',
  '/api/v1/public/openapi.json',
  '/api/v1/public/openapi.yaml',
  '/api/v1/public/store',
  '/asset-library/api',
]

/** Everything that can be reached by links, as this person sees it. */
async function crawl(ask: (path: string) => Promise<Response>): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  const waiting = [...STARTS]
  const known = new Set(waiting)
  for (let path = waiting.shift(); path !== undefined && found.size < PAGES_MAX; path = waiting.shift()) {
    const answer = await ask(path)
    if (!/text|json|xml/.test(answer.headers.get('content-type') ?? '')) continue
    const text = await answer.text()
    found.set(path, text)
    for (const [, href = ''] of text.matchAll(/ href="(\/[^"#]*)/g)) {
      const link = href.replaceAll('&amp;', '&')
      // Combinations of filters have no end, and show the same words.
      if (known.has(link) || /^\/(?:search|assets|media|api\/v1\/public\/games)\b.*[?/]/.test(link)) continue
      known.add(link)
      waiting.push(link)
    }
  }
  return found
}

/** Where the program is named, apart from the line at the very bottom. */
function namesProgram(text: string): string | null {
  const rest = text
    .replace(`${NAME} runs on Playshelf</p></footer></body></html>`, '')
    // The audit log has the name from before the change.
    .replace(`name: Playshelf → ${NAME}`, '')
  const at = rest.search(/Playshelf/)
  return at === -1 ? null : rest.slice(Math.max(0, at - 60), at + 60)
}

describe('a store that is called otherwise', () => {
  test('names the program nowhere but at the very bottom of its pages', async () => {
    const accept = { accept: 'text/html' }
    const visitors = {
      guest: (path: string) => server.fetch(path, { headers: accept }),
      maker: (path: string) => data.maker.fetch(path, { headers: accept }),
      operator: (path: string) => operator.fetch(path, { headers: accept }),
    }
    for (const [who, ask] of Object.entries(visitors)) {
      const pages = await crawl(ask)
      expect(pages.size).toBeGreaterThan(25)
      expect(pages.get('/')).toContain(`${NAME} runs on Playshelf`)
      expect(pages.get('/')).toContain(` · ${NAME}</title>`)
      const wrong = [...pages].flatMap(([path, text]) => {
        const where = namesProgram(text)
        return where === null ? [] : [`${who} ${path}: ${where}`]
      })
      expect(wrong).toEqual([])
    }
  })

  test('signs its mails, and names its authenticator entries, passkeys, programs and tools', async () => {
    const person = await signUp(server)
    const { text } = await waitForMail(server, person.email, 'Confirm your e-mail address')
    expect(text).toContain(`Welcome to ${NAME}.`)
    expect(text.trimEnd()).toEndWith(`${NAME}\nhelp@example.org`)
    await act(operator, `accounts/${person.uid}/suspend`, { reason: 'x' })
    await act(operator, 'accounts', { email: 'guest@example.org' })
    await waitFor('the mails', async () =>
      (await readMails(server)).some(({ to }) => to === 'guest@example.org'),
    )
    // The operator signed up before the store had its name.
    const later = (await readMails(server)).filter(({ to }) => to !== operator.email)
    for (const { subject, text: body } of later) expect(subject + body).not.toContain('Playshelf')

    const app = await data.newcomer.json('POST', '/api/v1/private/me/authenticator')
    const { address } = await readData<{ address: string }>(app)
    expect(new URL(address).searchParams.get('issuer')).toBe(NAME)

    const rename = await data.newcomer.json('PATCH', '/api/v1/private/me', { username: 'lantern' })
    expect(await readFailure(rename)).toMatchObject({ code: 4090 })

    const token = await obtainToken(server, data.maker, AGENT_SCOPES.join(' '))
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    }
    const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
    const hello = await postMcp(server, message, bearerOf(token.access_token))
    const answer = await hello.text()
    expect(answer).toContain(`"title":"${NAME}"`)
    expect(answer).not.toContain('Playshelf')
  })

  test('is the one who moves a channel when its build is deleted', async () => {
    const owner = await signUp(server)
    const { uid } = await insertGame(server, owner)
    await release(server, uid, { version: '1.0.0' })
    const newer = await release(server, uid, { version: '1.1.0' })
    const path = `/api/v1/private/games/${uid}/builds/${newer.uid}`
    expect((await owner.json('DELETE', path)).status).toBe(200)
    const [moved] = await readHistory(owner, uid)
    expect(moved).toMatchObject({ kind: 'fallback', moved_by: NAME })
    for (const tab of ['channels', 'overview']) {
      const page = await owner.fetch(`/studio/${uid}/${tab}`, { headers: { accept: 'text/html' } })
      const text = await page.text()
      expect(text).toContain(tab === 'overview' ? `by ${NAME}` : `<td>${NAME}</td>`)
      expect(namesProgram(text)).toBeNull()
    }
  })
})

describe('no setting', () => {
  const HOSTILE = `"><script>alert(1)</script><style>*{}</style>`

  test('brings script, style or a foreign address into a page', async () => {
    const markdown = MARKDOWN_ATTACKS.filter((text) => !text.includes('\0'))
      .join('\n\n')
      .slice(0, 50_000)
    const answer = await patch({
      name: HOSTILE.slice(0, 40),
      tagline: HOSTILE,
      description: `${HOSTILE} </title>`,
      hero: { headline: HOSTILE, text: HOSTILE },
      announcement: { markdown: `${HOSTILE} ![x](https://evil.example/x.png) [y](javascript:alert(1))` },
      pages: [{ slug: 'terms', title: HOSTILE, markdown }],
      footer_links: [{ label: '<script>', url: 'https://fine.example/"><script>' }],
    })
    expect(answer.status).toBe(200)
    const games = [data.full.game.uid]
    const collection = { title: HOSTILE, slug: 'hostile', text: HOSTILE, games, on_home: true }
    const made = await act(operator, 'collections', collection)
    expect(made.status).toBe(201)
    for (const path of [
      '/',
      '/pages/terms',
      '/sign-up',
      '/collections',
      '/collections/hostile',
      '/search?collection=hostile',
      '/rules',
      '/docs',
      '/no-such-page',
      data.full.path,
      '/account',
      '/operate',
      '/operate/audit',
      '/operate/collections/hostile',
      '/operate/settings',
      '/operate/settings/page?slug=terms',
    ]) {
      const ask = path === '/sign-up' ? server.fetch : operator.fetch
      const page = await ask(path, { headers: { accept: 'text/html' } })
      expect(page.headers.get('content-security-policy')).toContain("script-src 'self'; style-src 'self'")
      const text = await page.text()
      expect(text).not.toMatch(/<script(?! type="module" src="\/assets\/)(?! type="application\/ld)/)
      expect(text).not.toMatch(/<style|<iframe|<object|<embed| on\w+="|href="javascript|style="/i)
      for (const [, address = ''] of text.matchAll(/<(?:img|link|script)[^>]* (?:src|href)="([^"]+)"/g))
        expect(address.replace(server.url, '')).toStartWith('/')
    }
    for (const path of ['/feed.xml', '/manifest.webmanifest']) {
      const text = await (await server.fetch(path)).text()
      if (path.endsWith('xml')) expect(text).not.toContain('<script')
      else expect(() => JSON.parse(text) as unknown).not.toThrow()
    }
    await patch(
      Object.fromEntries(
        ['tagline', 'description', 'hero', 'announcement', 'pages', 'footer_links'].map((name) => [
          name,
          null,
        ]),
      ),
    )
  })
})
