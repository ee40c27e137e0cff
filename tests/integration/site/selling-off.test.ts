import { beforeAll, expect, test } from 'bun:test'

import type { Order } from '../../../src/features/selling/orders/model.ts'
import type { Paged } from '../../../src/lib/paging.ts'
import { insertOrder } from '../../helpers/authorization/authorization-selling-cases.ts'
import { readData, readFailure } from '../../helpers/json.ts'
import { type GameRow, insertLicense, insertPublicGame } from '../../helpers/listings.ts'
import { signUpOperator } from '../../helpers/operators.ts'
import { signUp } from '../../helpers/people.ts'
import { addEdition, enableDeveloper, useShop } from '../../helpers/selling/selling.ts'
import type { TestServer } from '../../helpers/server.ts'
import { readPage } from '../../helpers/site/read-page.ts'
import { usePerson, useStore } from '../../helpers/store.ts'

const PAGES_MAX = 400
const UID = '0199a000-0000-7000-8000-000000000000'
/** Words and addresses of what only a store that sells has. */
const SELLING =
  /stripe|payout|checkout|\/orders|\/sales|\/buy\b|pay what you want|your price|give the money back/i

const WORDS = /stripe|payouts|checkout|orders|sales|buy/

/** Without STRIPE_SECRET_KEY, and one with it to compare with. */
const server = useStore()
const shop = useShop({ ROLE: 'api' })
/** Runs the store, develops, and plays: sees more pages than anybody else. */
const person = usePerson(server, signUpOperator)
let game: GameRow
beforeAll(async () => {
  await enableDeveloper(server, person)
  game = await insertPublicGame(server, person, { priceCents: 999, payMore: true })
  await addEdition(server, game.uid)
  const other = await insertPublicGame(server, await signUp(server), { priceCents: 1500, payMore: true })
  await insertLicense(server, other.uid, person)
})

const routesOf = ({ app }: TestServer) => new Set(app.routes.map(({ method, path }) => `${method} ${path}`))

/** The status, and whether there is a page after all redirects. */
async function ask(method: string, path: string): Promise<string> {
  const { status } = await person.json(method, path, method === 'POST' ? {} : undefined)
  if (method !== 'GET') return String(status)
  return `${status}, then ${(await person.fetch(path, { redirect: 'follow' })).status}`
}

test('every address of selling answers like one that does not exist', async () => {
  const own = routesOf(server)
  const missing = [...routesOf(shop.server)].filter((route) => !own.has(route))
  expect(missing).toContain('POST /api/v1/stripe/webhook')
  expect(missing).toContain('POST /api/v1/private/orders/:uid/refund')
  // Orders of before stay readable, and who orders is told why it cannot be.
  expect([...own].filter((route) => SELLING.test(route)).toSorted()).toEqual([
    'GET /api/v1/private/orders',
    'GET /api/v1/private/orders/:uid',
    'GET /orders',
    'GET /orders/:uid',
    'POST /api/v1/private/games/:uid/checkout',
  ])
  const found: string[] = []
  for (const route of missing) {
    const [method = '', path = ''] = route.split(' ')
    const address = path.replace('games/:uid', `games/${game.uid}`).replace(/:\w+/g, UID)
    const answered = await ask(method, address)
    if (answered !== (await ask(method, address.replace(WORDS, 'nowhere'))))
      found.push(`${route} → ${answered}`)
  }
  expect(found).toEqual([])
})

test('the description of the API says nothing of it', async () => {
  for (const path of ['/openapi.json', '/openapi.yaml'])
    expect((await (await server.fetch(path)).text()).match(SELLING)).toBeNull()
})

/** Follows every link that a person finds, and returns the pages. */
async function walk(start: readonly string[], visit: (path: string) => Promise<Response>) {
  const seen = new Set(start)
  const pages = new Map<string, string>()
  for (const path of seen) {
    if (pages.size >= PAGES_MAX)
      throw new Error(`More than ${PAGES_MAX} pages: ${[...seen].slice(-20).join(' ')}`)
    const answer = await visit(path)
    if (!answer.headers.get('content-type')?.startsWith('text/html')) {
      await answer.body?.cancel()
      continue
    }
    const text = await answer.text()
    pages.set(path, text)
    for (const [, href = ''] of text.matchAll(/href="([^"#]+)/g)) {
      const url = new URL(href.replaceAll('&amp;', '&'), server.url + path)
      if (url.origin === server.url && isOwnPage(url)) seen.add(url.pathname)
    }
  }
  return pages
}

/** Whatever changes something when it is opened, or is no page, is left alone. */
function isOwnPage({ pathname }: URL): boolean {
  return !/\.\w+$|^\/(?:api|assets|media|docs|sign-out|oauth|\.well-known)\b/.test(pathname)
}

test.each(['a visitor', 'the operator, who develops and plays'] as const)(
  'no page that %s can reach says anything of it',
  async (who) => {
    const visit = (path: string) =>
      who === 'a visitor' ? server.fetch(path) : person.fetch(path, { headers: { accept: 'text/html' } })
    const pages = await walk(['/', '/library', '/studio', '/operate', `/games/${game.vanityName}`], visit)
    expect(pages.size).toBeGreaterThan(who === 'a visitor' ? 5 : 25)
    const said = [...pages].flatMap(([path, text]) => {
      const word = SELLING.exec(text)
      return word ? `${path}: ${text.slice(Math.max(0, word.index - 40), word.index + 40)}` : []
    })
    expect(said).toEqual([])
  },
)

// The last one: the page of operators names the routes that were called.
test('orders of before stay readable, and the page and a checkout say why nothing can be bought', async () => {
  const buyer = await signUp(server)
  const { uid } = await insertOrder({ server, game }, buyer.uid)
  const checkout = await buyer.json('POST', `/api/v1/private/games/${game.uid}/checkout`, {})
  expect(await readFailure(checkout)).toMatchObject({ status: 409, code: 4116 })
  expect((await readData<Paged<Order>>(await buyer.fetch('/api/v1/private/orders'))).total).toBe(1)
  expect((await buyer.fetch(`/api/v1/private/orders/${uid}`)).status).toBe(200)
  const open = (path: string) => readPage(buyer, path)
  for (const path of ['/library', '/orders', `/orders/${uid}`]) expect(await open(path)).toContain(game.name)
  const page = await (await server.fetch(`/games/${game.vanityName}`)).text()
  expect(page).toContain('does not take payments')
  expect(page).toContain('The developer named no other place to get it')
  expect(page).not.toContain('ask the developer')
  expect(page).not.toContain('Buy')
  const pricing = await person.fetch(`/studio/${game.vanityName}/pricing`)
  expect(await pricing.text()).not.toContain('pay_more')
})
