import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { payoutAccounts } from '../../../../src/db/schema/selling/payout-accounts.ts'
import { LIMITS } from '../../../../src/domain/limit-table.ts'
import type { Order } from '../../../../src/features/selling/orders/model.ts'
import type { Payouts } from '../../../../src/features/selling/payouts/model.ts'
import type { Paged } from '../../../../src/lib/paging.ts'
import { insertOrder } from '../../../helpers/authorization/authorization-selling-cases.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { type GameRow, insertPublicGame } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import {
  askToCheckOut,
  enableDeveloper,
  insertForSale,
  type Shop,
  signUpBuyer,
  signUpSeller,
  startShop,
} from '../../../helpers/selling/selling.ts'
import { startTestServer } from '../../../helpers/server.ts'
import { READY } from '../../../helpers/stripe-double/double.ts'
import { PROMPT_MS, waitFor } from '../../../helpers/wait.ts'

let shop: Shop
beforeAll(async () => {
  shop = await startShop()
})
afterAll(() => shop.stop())

const PATH = '/api/v1/private/payouts'

test('a developer connects an account, once, and is told what is missing', async () => {
  const developer = await signUpBuyer(shop)
  expect((await readFailure(await developer.json('POST', `${PATH}/onboarding`))).code).toBe(4105)
  await enableDeveloper(shop.server, developer)
  expect(await readData<Payouts>(await developer.fetch(PATH))).toMatchObject({ connected: false })
  expect((await developer.json('POST', `${PATH}/dashboard`)).status).toBe(404)
  shop.stripe.fail('POST accounts', 'lost', 1)
  const first = await developer.json('POST', `${PATH}/onboarding`)
  const { url } = await readData<{ url: string }>(first)
  await Promise.all([1, 2, 3].map(() => developer.json('POST', `${PATH}/onboarding`)))
  const accounts = [...shop.stripe.books.accounts.values()].filter(({ email }) => email === developer.email)
  expect(accounts).toHaveLength(1)
  expect(await readData<Payouts>(await developer.fetch(PATH))).toMatchObject({
    connected: true,
    charges_enabled: false,
  })
  await fetch(url, { method: 'POST', redirect: 'manual' })
  const ready = await waitFor('the account', async () => {
    const now = await readData<Payouts>(await developer.fetch(PATH))
    return now.charges_enabled && now
  })
  expect(ready).toMatchObject({ payouts_enabled: true, details_submitted: true, missing: [] })
  const dashboard = await developer.json('POST', `${PATH}/dashboard`)
  expect((await readData<{ url: string }>(dashboard)).url).toStartWith(shop.stripe.origin)
})

describe('the store page', () => {
  const open = async (vanityName: string) => await (await shop.server.fetch(`/games/${vanityName}`)).text()

  test('says within a second that a listing can no longer be bought', async () => {
    const seller = await signUpSeller(shop)
    const game = await insertForSale(shop, seller)
    const buyer = await signUpBuyer(shop)
    expect(await open(game.vanityName)).toContain(`Buy<span class="visually-hidden"> ${game.name}</span>`)
    const own = await (await buyer.fetch(`/games/${game.vanityName}`)).text()
    expect(own).toContain(`action="/games/${game.vanityName}/buy"`)
    const account = [...shop.stripe.books.accounts.values()].find(({ email }) => email === seller.email)
    const isForSale = async () => !(await open(game.vanityName)).includes('not for sale')
    /** The second begins when a job has taken in what Stripe tells. */
    const change = async (charges_enabled: boolean) => {
      shop.stripe.changeAccount(account?.id ?? '', { ...READY, charges_enabled })
      const isKnown = async () =>
        (await readData<Payouts>(await seller.fetch(PATH))).charges_enabled === charges_enabled
      await waitFor('the event', isKnown)
    }
    await change(false)
    await waitFor('the page', async () => !(await isForSale()), PROMPT_MS)
    await change(true)
    await waitFor('the page', isForSale, PROMPT_MS)
  })

  test('of a developer without an account says so, and the studio why', async () => {
    const developer = await signUp(shop.server)
    const game = await insertPublicGame(shop.server, developer, { priceCents: 999 })
    expect(await open(game.vanityName)).toContain('not for sale')
    const studio = await (await developer.fetch(`/studio/${game.vanityName}/pricing`)).text()
    expect(studio).toContain('has not connected a Stripe account')
  })
})

describe('an account that is gone at Stripe', () => {
  const accountOf = ({ email }: Person) =>
    [...shop.stripe.books.accounts.values()].find((account) => account.email === email)?.id ?? ''
  const isOffered = async ({ vanityName }: GameRow) =>
    !(await (await shop.server.fetch(`/games/${vanityName}`)).text()).includes('not for sale')

  test('takes no charges from the first refusal on, and another can be connected', async () => {
    const seller = await signUpSeller(shop)
    const game = await insertForSale(shop, seller)
    const buyer = await signUpBuyer(shop)
    const gone = accountOf(seller)
    expect(await isOffered(game)).toBe(true)
    shop.stripe.books.accounts.delete(gone)
    expect((await askToCheckOut(buyer, game.uid)).status).toBe(502)
    await waitFor('the page without Buy', async () => !(await isOffered(game)))
    expect((await readFailure(await askToCheckOut(buyer, game.uid))).code).toBe(4116)
    expect(await readData<Payouts>(await seller.fetch(PATH))).toEqual({
      connected: false,
      charges_enabled: false,
      payouts_enabled: false,
      details_submitted: false,
      missing: [],
    })
    const answers = await Promise.all([1, 2, 3].map(() => seller.json('POST', `${PATH}/onboarding`)))
    const [url] = await Promise.all(answers.map(async (one) => (await readData<{ url: string }>(one)).url))
    expect(
      [...shop.stripe.books.accounts.values()].filter(({ email }) => email === seller.email),
    ).toHaveLength(1)
    await fetch(url ?? '', { method: 'POST', redirect: 'manual' })
    await waitFor('the page with Buy', () => isOffered(game))
    expect((await askToCheckOut(buyer, game.uid)).status).toBe(201)
  })

  test('is replaced by pressing Connect, and its dashboard is missing', async () => {
    const seller = await signUpSeller(shop)
    shop.stripe.books.accounts.delete(accountOf(seller))
    expect((await seller.json('POST', `${PATH}/dashboard`)).status).toBe(404)
    const other = await signUpSeller(shop)
    const gone = accountOf(other)
    shop.stripe.books.accounts.delete(gone)
    const answer = await other.json('POST', `${PATH}/onboarding`)
    expect((await readData<{ url: string }>(answer)).url).toContain(accountOf(other))
    expect(accountOf(other)).not.toBe(gone)
  })

  test('is not what a wrong key of the store means', async () => {
    const seller = await signUpSeller(shop)
    const game = await insertForSale(shop, seller)
    shop.stripe.fail('', '401', 4)
    await seller.fetch('/studio/payouts/return')
    shop.stripe.heal()
    expect(await isOffered(game)).toBe(true)
  })
})

test('coming back from Stripe again and again asks few questions, and writes nothing where nothing changed', async () => {
  const seller = await signUpSeller(shop)
  const find = () =>
    shop.server.deps.db.select().from(payoutAccounts).where(eq(payoutAccounts.userUid, seller.uid))
  const before = await find()
  const from = shop.stripe.requests.length
  const answers = await Promise.all(Array.from({ length: 100 }, () => seller.fetch('/studio/payouts/return')))
  for (let times = 0; times < 40; times += 1) await seller.fetch('/studio/payouts/return')
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([303]))
  const asked = shop.stripe.requests
    .slice(from)
    .filter((call) => call === `GET accounts/${before[0]?.accountId}`)
  expect(asked.length).toBeLessThanOrEqual(LIMITS.stripe_questions.max)
  expect(await find()).toEqual(before)
})

test('a store without keys shows nothing of it', async () => {
  const server = await startTestServer()
  const person = await signUp(server)
  const game = await insertPublicGame(server, person, { priceCents: 999, payMore: true })
  const missing = [
    ['GET', PATH],
    ['POST', `${PATH}/onboarding`],
    ['GET', '/studio/payouts/return'],
    ['GET', '/operate/sales'],
    ['POST', '/api/v1/stripe/webhook'],
  ] as const
  for (const [method, path] of missing) {
    const answer = await person.json(method, path, method === 'POST' ? {} : undefined)
    expect([path, answer.status]).toEqual([path, 404])
  }
  const checkout = await readFailure(
    await person.json('POST', `/api/v1/private/games/${game.uid}/checkout`, {}),
  )
  expect([checkout.status, checkout.code]).toEqual([409, 4116])
  const { uid } = await insertOrder({ server, game }, person.uid)
  expect((await readData<Paged<Order>>(await person.fetch('/api/v1/private/orders'))).total).toBe(1)
  expect((await person.fetch(`/api/v1/private/orders/${uid}`)).status).toBe(200)
  for (const path of ['/library', '/orders', `/orders/${uid}`])
    expect(await (await person.fetch(path, { headers: { accept: 'text/html' } })).text()).toContain(game.name)
  const page = await (await server.fetch(`/games/${game.vanityName}`)).text()
  expect(page).toContain('does not take payments')
  expect(page).toContain('Its developer named no other place to get it')
  expect(page).not.toContain('ask the developer')
  expect(page).not.toContain('Buy')
  expect(await (await person.fetch(`/studio/${game.vanityName}/pricing`)).text()).not.toContain('pay_more')
  expect(await (await person.fetch('/studio')).text()).not.toContain('/studio/payouts')
  expect(await (await server.fetch('/openapi.json')).text()).not.toContain('Stripe')
  await server.stop()
})
