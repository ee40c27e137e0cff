import { describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { payoutAccounts } from '../../../../src/db/schema/selling.ts'
import { LIMITS } from '../../../../src/domain/limit-table.ts'
import type { Payouts } from '../../../../src/features/selling/payouts/model.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import type { GameRow } from '../../../helpers/listings.ts'
import {
  accountOf,
  askToCheckOut,
  enableDeveloper,
  insertForSale,
  signUpBuyer,
  signUpSeller,
  useShop,
} from '../../../helpers/selling/selling.ts'
import { READY } from '../../../helpers/stripe-double/double.ts'
import { PROMPT_MS, waitFor } from '../../../helpers/wait.ts'

const shop = useShop()

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
    const { id } = accountOf(shop, seller)
    const isForSale = async () => !(await open(game.vanityName)).includes('not for sale')
    /** The second begins when a job has taken in what Stripe tells. */
    const change = async (charges_enabled: boolean) => {
      shop.stripe.changeAccount(id, { ...READY, charges_enabled })
      const isKnown = async () =>
        (await readData<Payouts>(await seller.fetch(PATH))).charges_enabled === charges_enabled
      await waitFor('the event', isKnown)
    }
    await change(false)
    await waitFor('the page', async () => !(await isForSale()), PROMPT_MS)
    await change(true)
    await waitFor('the page', isForSale, PROMPT_MS)
  })
})

describe('an account that is gone at Stripe', () => {
  const isOffered = async ({ vanityName }: GameRow) =>
    !(await (await shop.server.fetch(`/games/${vanityName}`)).text()).includes('not for sale')

  test('takes no charges from the first refusal on, and another can be connected', async () => {
    const seller = await signUpSeller(shop)
    const game = await insertForSale(shop, seller)
    const buyer = await signUpBuyer(shop)
    const gone = accountOf(shop, seller).id
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
    shop.stripe.books.accounts.delete(accountOf(shop, seller).id)
    expect((await seller.json('POST', `${PATH}/dashboard`)).status).toBe(404)
    const other = await signUpSeller(shop)
    const gone = accountOf(shop, other).id
    shop.stripe.books.accounts.delete(gone)
    const answer = await other.json('POST', `${PATH}/onboarding`)
    expect((await readData<{ url: string }>(answer)).url).toContain(accountOf(shop, other).id)
    expect(accountOf(shop, other).id).not.toBe(gone)
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
