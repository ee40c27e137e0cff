import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Payouts } from '../../../../src/features/selling/payouts/model.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { insertPublicGame } from '../../../helpers/listings.ts'
import { signUp } from '../../../helpers/people.ts'
import {
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

test('a store without keys shows nothing of it', async () => {
  const server = await startTestServer()
  const person = await signUp(server)
  const game = await insertPublicGame(server, person, { priceCents: 999, payMore: true })
  const missing = [
    ['GET', PATH],
    ['POST', `${PATH}/onboarding`],
    ['GET', '/api/v1/private/orders'],
    ['GET', '/orders'],
    ['GET', '/studio/payouts/return'],
    ['GET', '/operate/sales'],
    ['POST', `/api/v1/private/games/${game.uid}/checkout`],
    ['POST', '/api/v1/stripe/webhook'],
  ] as const
  for (const [method, path] of missing) {
    const answer = await person.json(method, path, method === 'POST' ? {} : undefined)
    expect([path, answer.status]).toEqual([path, 404])
  }
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
