import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { readData } from '../../helpers/json.ts'
import { insertAdmin } from '../../helpers/listings.ts'
import { signUpOperator } from '../../helpers/operators.ts'
import type { Person } from '../../helpers/people.ts'
import {
  buy,
  findLicense,
  insertForSale,
  type Shop,
  signUpBuyer,
  signUpSeller,
  startShop,
} from '../../helpers/selling.ts'

let shop: Shop
let seller: Person
beforeAll(async () => {
  shop = await startShop()
  seller = await signUpSeller(shop)
})
afterAll(() => shop.stop())

const send = (person: Person, path: string, fields: Record<string, string> = {}) =>
  person.fetch(path, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' })
const open = async (person: Person, path: string) => await (await person.fetch(path)).text()

test('buy, cancel, buy again, see it paid, and give it back', async () => {
  const game = await insertForSale(shop, seller, { payMore: true })
  const buyer = await signUpBuyer(shop)
  const page = await buyer.fetch(`/games/${game.vanityName}`)
  expect(page.headers.get('content-security-policy')).toContain(`form-action 'self' ${shop.stripe.origin}`)
  expect(await page.text()).toContain('Your price')
  const wrong = await send(buyer, `/games/${game.vanityName}/buy`, { amount_cents: '1.00' })
  expect(wrong.status).toBe(422)
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
  const after = await open(buyer, path)
  expect(after).toContain('Paid')
  expect(after).toContain('Download')
  expect(await open(buyer, '/library')).toContain(path)
  expect(await open(buyer, `/games/${game.vanityName}`)).not.toContain('/buy"')
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
  expect((await send(buyer, `/games/${game.vanityName}/claim`)).status).toBe(303)
  expect(await open(buyer, `/games/${game.vanityName}`)).not.toContain('Support the developer')
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
    expect(csv).toContain(',1,1000,0,100,900')
    expect(await open(seller, '/studio/sales.csv')).toContain(',1,1000,0,100,900')
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
