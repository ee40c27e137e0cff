import { beforeAll, describe, expect, test } from 'bun:test'

import { notifyChange } from '../../../src/features/games/service.ts'
import { readData } from '../../helpers/json.ts'
import { insertAdmin } from '../../helpers/listings.ts'
import { signUpOperator } from '../../helpers/operators.ts'
import { type Person, signUp } from '../../helpers/people.ts'
import {
  addEdition,
  buy,
  findLicense,
  insertForSale,
  signUpBuyer,
  signUpSeller,
  useShop,
} from '../../helpers/selling/selling.ts'
import { PROMPT_MS, waitFor } from '../../helpers/wait.ts'

const shop = useShop()
let seller: Person
beforeAll(async () => {
  seller = await signUpSeller(shop)
})

const send = (person: Person, path: string, fields: Record<string, string> = {}) =>
  person.fetch(path, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' })
const open = async (person: Person, path: string) => await (await person.fetch(path)).text()

test('buy, cancel, buy again, see it paid, and give it back', async () => {
  const game = await insertForSale(shop, seller, { payMore: true })
  const buyer = await signUpBuyer(shop)
  const page = await buyer.fetch(`/games/${game.vanityName}`)
  expect(page.headers.get('content-security-policy')).toContain(`form-action 'self' ${shop.stripe.origin}`)
  expect(await page.text()).toContain('Your price')
  const first = await send(buyer, `/games/${game.vanityName}/buy`, { amount_cents: '12.34' })
  expect(first.status).toBe(303)
  const url = first.headers.get('location') ?? ''
  const session = shop.stripe.books.sessions.get(url.split('/').at(-1) ?? '')
  const orderPath = new URL(session?.success_url ?? '').pathname
  expect(await open(buyer, orderPath)).toContain('Continue to payment')
  expect((await send(buyer, `${orderPath}/cancel`)).status).toBe(303)
  expect(await open(buyer, orderPath)).toContain('Expired')
  const second = await send(buyer, `/games/${game.vanityName}/buy`, { amount_cents: '12.34' })
  const paid = await fetch(`${second.headers.get('location')}/pay`, { method: 'POST', redirect: 'manual' })
  const path = new URL(paid.headers.get('location') ?? '').pathname
  // Stripe is asked once a second at most, and the job that runs every minute may have asked before the payment.
  const isPaid = async () => (await open(buyer, path)).includes('Paid')
  await waitFor('the payment', isPaid, PROMPT_MS)
  expect(await open(buyer, path)).toContain('Download')
  expect(await open(buyer, '/library')).toContain(path)
  const owned = await open(buyer, `/games/${game.vanityName}`)
  expect(owned).not.toContain('/buy"')
  expect(owned).not.toContain('class="offers"')
  expect((await send(buyer, `${path}/refund`)).status).toBe(303)
  expect(await open(buyer, path)).toContain('Refunded')
  expect(await findLicense(shop.server, buyer, game.uid)).toBeNull()
  expect(await open(await signUpBuyer(shop), path)).not.toContain('Refunded')
})

test('a free listing can be supported, or had for nothing', async () => {
  const game = await insertForSale(shop, seller, { priceCents: 0, payMore: true })
  const buyer = await signUpBuyer(shop)
  const page = await open(buyer, `/games/${game.vanityName}`)
  expect(page).toContain('Support the developer')
  expect(page).toContain(`/games/${game.vanityName}/claim`)
  await addEdition(shop.server, game.uid)
  await shop.server.deps.db.transaction((tx) => notifyChange(tx, game.uid))
  await waitFor('both ways to pay', async () => {
    const both = await open(buyer, `/games/${game.vanityName}`)
    expect(both).toContain('Support the developer')
    return both.match(/action="[^"]+\/buy"/g)?.length === 2
  })
  expect((await send(buyer, `/games/${game.vanityName}/claim`)).status).toBe(303)
  expect(await open(buyer, `/games/${game.vanityName}`)).not.toContain('Support the developer')
})

test('what is not for sale says so on its page, and why in the studio', async () => {
  const buyer = await signUpBuyer(shop)
  const maker = await signUpBuyer(shop)
  const game = await insertForSale(shop, maker)
  const hidden = await insertForSale(shop, seller, { visibility: 'invisible' })
  const told = async (person: Person, path: string) => {
    const page = await open(person, path)
    expect(page).not.toContain('/buy"')
    return page
  }
  const page = await told(buyer, `/games/${game.vanityName}`)
  expect(page).toContain('It is not for sale at the moment')
  expect(page).toContain('The developer named no other place to get it')
  expect(page).toContain('href="/redeem"')
  const elsewhere = await insertForSale(shop, maker, { website: 'https://maker.example/game' })
  await maker.json('PUT', `/api/v1/private/games/${elsewhere.uid}/store-links`, {
    store_links: [{ platform: 'store_01', url: 'https://store.steampowered.com/app/480' }],
  })
  const places = await told(buyer, `/games/${elsewhere.vanityName}`)
  expect(places).toMatch(/Get it at <a href="https:\/\/store\.steampowered\.com[^>]+>Steam<\/a>/)
  expect(places).toMatch(/ask on <a href="https:\/\/maker\.example\/game"[^>]*>its website<\/a>/)
  expect(await told(buyer, `/games/${hidden.vanityName}`)).toContain('not for sale: its page is not public')
  const studio = await open(maker, `/studio/${game.vanityName}/pricing`)
  expect(studio).toContain('has not connected a Stripe account')
  expect(studio).toContain('href="/studio/payouts"')
  expect(await open(seller, `/studio/${hidden.vanityName}/pricing`)).toContain('the page is not public')
})

test('editions are bought one by one; who holds one downloads it', async () => {
  const game = await insertForSale(shop, seller)
  const edition_uid = await addEdition(shop.server, game.uid)
  const buyer = await signUpBuyer(shop)
  const path = `/games/${game.vanityName}`
  const offered = await open(buyer, path)
  expect(offered.match(/action="[^"]+\/buy"/g)).toHaveLength(2)
  expect(offered).toContain('$19.99')
  expect(await open(await signUpBuyer(shop), path)).not.toContain('Your price')
  await buy(shop, buyer, game.uid, { edition_uid })
  const held = await open(buyer, path)
  expect(held).not.toContain('/buy"')
  expect(held.match(/You have it/g)).toHaveLength(2)
  const refused = await send(buyer, `${path}/buy`, { edition_uid })
  expect(refused.status).toBe(409)
  expect(await refused.text()).toContain('You have this edition')
})

test('a rejected amount is told in dollars, at its own field', async () => {
  const game = await insertForSale(shop, seller, { payMore: true })
  const edition_uid = await addEdition(shop.server, game.uid)
  const buyer = await signUpBuyer(shop)
  const refused = await send(buyer, `/games/${game.vanityName}/buy`, { edition_uid, amount_cents: '5' })
  expect(refused.status).toBe(422)
  const page = await refused.text()
  expect(page).toContain('The amount must be $19.99 to $199.90.')
  expect(page.match(/aria-invalid="true"/g)).toHaveLength(1)
  const order = await buy(shop, buyer, game.uid)
  const path = `/studio/${game.vanityName}/sales/${order.uid}/refund`
  const sent = { order_uid: order.uid, amount_cents: '10', reason: 'A bug' }
  expect(await (await send(seller, path, sent)).text()).toContain('The amount must be at most $9.99')
})

test('whoever may not buy learns what to do', async () => {
  const game = await insertForSale(shop, seller, { adult: true })
  const path = `/games/${game.vanityName}/buy`
  const newcomer = await signUp(shop.server)
  const unconfirmed = await send(newcomer, path)
  expect([unconfirmed.status, await unconfirmed.text()]).toEqual([
    403,
    expect.stringContaining('Confirm your e-mail address to buy something'),
  ])
  const young = await send(await signUpBuyer(shop), path)
  expect([young.status, await young.text()]).toEqual([
    403,
    expect.stringContaining('Turn on adult content in your account'),
  ])
})

test('a listing that has the name of a page of the studio is reached by its tabs', async () => {
  for (const vanityName of ['sales', 'payouts']) {
    const { name } = await insertForSale(shop, seller, { vanityName, name: `Old ${vanityName}` })
    expect(await open(seller, '/studio')).toContain(`href="/studio/${vanityName}/overview"`)
    for (const tab of ['overview', 'pricing', 'sales', 'keys'])
      expect(await open(seller, `/studio/${vanityName}/${tab}`)).toContain(name)
    const saved = await send(seller, `/studio/${vanityName}/pricing/price`, { price_cents: '5.00' })
    expect(saved.headers.get('location')).toBe(`/studio/${vanityName}/pricing?done=price`)
    expect((await seller.fetch(`/studio/${vanityName}/sales.csv`)).status).toBe(200)
  }
  expect(await open(seller, '/studio/sales')).toContain('<h1>Sales</h1>')
  expect(await open(seller, '/studio/payouts')).toContain('<h1>Payouts</h1>')
})

describe('sales', () => {
  test('for owner and admins, with usernames, refunds by the owner, and a CSV without formulas', async () => {
    const game = await insertForSale(shop, seller, { name: '=1+1', priceCents: 1000 })
    const buyer = await signUpBuyer(shop)
    const order = await buy(shop, buyer, game.uid)
    const { username } = await readData<{ username: string }>(await buyer.fetch('/api/v1/private/me'))
    const page = await open(seller, `/studio/${game.vanityName}/sales`)
    expect(page).toContain(username)
    expect(page).not.toContain(buyer.email)
    expect(page).toContain('$9.00')
    const admin = await signUpBuyer(shop)
    await insertAdmin(shop.server, game.uid, admin, 'accepted')
    const theirs = await open(admin, `/studio/${game.vanityName}/sales`)
    expect(theirs).toContain(username)
    expect(theirs).not.toContain('Give the money back')
    expect((await buyer.fetch(`/studio/${game.vanityName}/sales`)).status).toBe(404)
    expect((await buyer.fetch(`/studio/${game.vanityName}/sales.csv`)).status).toBe(404)
    const csv = await open(seller, `/studio/${game.vanityName}/sales.csv`)
    expect(csv.split('\r\n')[1]).toContain(`'=1+1,`)
    expect(csv).toContain(',1,1000,0,0,100,900')
    expect(await open(seller, '/studio/sales.csv')).toContain(',1,1000,0,0,100,900')
    const path = `/studio/${game.vanityName}/sales/${order.uid}/refund`
    expect((await send(seller, path, { order_uid: order.uid, amount_cents: '', reason: '' })).status).toBe(
      400,
    )
    const done = await send(seller, path, { order_uid: order.uid, amount_cents: '2.50', reason: 'A bug' })
    expect(done.status).toBe(303)
    expect(await open(seller, `/studio/${game.vanityName}/sales`)).toContain('$2.50 given back')
    expect(await open(seller, '/studio/sales')).toContain('$6.75')
  })

  test('for operators: totals, the mode, orders by number and by address, and refunds', async () => {
    const game = await insertForSale(shop, seller)
    const buyer = await signUpBuyer(shop)
    const order = await buy(shop, buyer, game.uid)
    const operator = await signUpOperator(shop.server)
    expect((await buyer.fetch('/operate/sales')).status).toBe(404)
    for (const query of [order.uid, buyer.email]) {
      const page = await open(operator, `/operate/sales?q=${encodeURIComponent(query)}`)
      expect(page).toContain('Test mode')
      expect(page).toContain(order.uid)
      expect(page).toContain('1 order')
    }
    expect(await open(operator, '/operate')).toContain('stripe, test mode')
    expect((await operator.fetch('/operate/sales.csv')).status).toBe(200)
    const path = `/operate/sales/${order.uid}/refund`
    expect((await send(operator, path, { reason: 'Complaint', amount_cents: '' })).status).toBe(303)
    expect(await open(operator, `/operate/sales?q=${order.uid}`)).toContain('Refunded')
  })
})

test('the account exports its orders, and deleting it keeps the order without the person', async () => {
  const game = await insertForSale(shop, seller)
  const buyer = await signUpBuyer(shop)
  const order = await buy(shop, buyer, game.uid)
  const data = await readData<{ orders: { uid: string }[] }>(await buyer.fetch('/api/v1/private/me/export'))
  expect(data.orders.map(({ uid }) => uid)).toEqual([order.uid])
  const gone = await buyer.json('DELETE', '/api/v1/private/me', { password: buyer.password })
  expect(gone.status).toBe(200)
  expect(await open(seller, `/studio/${game.vanityName}/sales`)).toContain('a deleted account')
})
