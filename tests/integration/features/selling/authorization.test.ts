import { afterAll, beforeAll, expect, test } from 'bun:test'

import { AGENT_SCOPES } from '../../../../src/domain/actor.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { obtainToken } from '../../../helpers/oauth.ts'
import type { Person } from '../../../helpers/people.ts'
import {
  checkOut,
  insertForSale,
  type Shop,
  signUpBuyer,
  signUpSeller,
  startShop,
} from '../../../helpers/selling.ts'

const ROUTES = [
  'GET /api/v1/private/payouts',
  'POST /api/v1/private/payouts/onboarding',
  'POST /api/v1/private/payouts/dashboard',
  'POST /api/v1/private/games/:uid/checkout',
  'GET /api/v1/private/orders',
  'GET /api/v1/private/orders/:uid',
  'POST /api/v1/private/orders/:uid/refund',
]

let shop: Shop
let buyer: Person
let orderUid: string
let gameUid: string
beforeAll(async () => {
  shop = await startShop()
  gameUid = (await insertForSale(shop, await signUpSeller(shop))).uid
  buyer = await signUpBuyer(shop)
  orderUid = (await checkOut(buyer, gameUid)).order_uid
})
afterAll(() => shop.stop())

const pathOf = (route: string) =>
  (route.split(' ')[1] ?? '').replace('games/:uid', `games/${gameUid}`).replace(':uid', orderUid)

test('every private route of selling is listed here', () => {
  const own = /private\/(?:payouts|orders|games\/:uid\/checkout)/
  const routes = shop.server.app.routes.flatMap(({ method, path }) =>
    own.test(path) ? `${method} ${path}` : [],
  )
  expect(routes.toSorted()).toEqual(ROUTES.toSorted())
})

test.each(ROUTES)('%s is for people on the website alone', async (route) => {
  const method = route.split(' ')[0] ?? ''
  const key = await buyer.json('POST', '/api/v1/private/player-keys', { label: route.slice(0, 40) })
  const bearers = [
    (await readData<{ key: string }>(key)).key,
    (await obtainToken(shop.server, buyer, AGENT_SCOPES.join(' '))).access_token,
  ]
  const ask = async (headers: Record<string, string>) => {
    const body = method === 'GET' ? null : '{}'
    const type = { 'content-type': 'application/json' }
    const answer = await shop.server.fetch(pathOf(route), { method, body, headers: { ...type, ...headers } })
    return (await readFailure(answer)).code
  }
  expect(await ask({})).toBe(4010)
  for (const bearer of bearers) expect(await ask({ authorization: `Bearer ${bearer}` })).toBe(4033)
  // A form of another website has the cookie, but not the origin.
  if (method === 'POST')
    expect(await ask({ cookie: buyer.cookie, origin: 'https://evil.example' })).toBe(4030)
})

test('the orders of others are missing', async () => {
  const other = await signUpBuyer(shop)
  expect((await other.fetch(`/api/v1/private/orders/${orderUid}`)).status).toBe(404)
  expect((await other.fetch(`/orders/${orderUid}`)).status).toBe(404)
})
