import { afterAll, beforeAll, expect, test } from 'bun:test'

import { readFailure } from '../../../helpers/json.ts'
import type { Person } from '../../../helpers/people.ts'
import { insertEdition, makeCode, redeem } from '../../../helpers/selling/license-keys.ts'
import {
  askToCheckOut,
  buy,
  checkOut,
  findLicense,
  insertForSale,
  type Shop,
  signUpBuyer,
  signUpSeller,
  startShop,
  waitForStatus,
} from '../../../helpers/selling/selling.ts'

let shop: Shop
let seller: Person
beforeAll(async () => {
  shop = await startShop()
  seller = await signUpSeller(shop)
})
afterAll(() => shop.stop())

test('what was redeemed cannot be bought, and what was bought keeps the code', async () => {
  const game = await insertForSale(shop, seller)
  const edition_uid = await insertEdition(shop.server, game.uid)
  const player = await signUpBuyer(shop)
  expect((await redeem(player, await makeCode(seller, game.uid, { edition_uid }))).status).toBe(200)
  for (const body of [{}, { edition_uid }])
    expect(await readFailure(await askToCheckOut(player, game.uid, body))).toMatchObject({
      status: 409,
      code: 4117,
    })
  const buyer = await signUpBuyer(shop)
  await buy(shop, buyer, game.uid)
  const code = await makeCode(seller, game.uid)
  expect(await readFailure(await redeem(buyer, code))).toMatchObject({ status: 409, code: 4117 })
  expect((await redeem(await signUpBuyer(shop), code)).status).toBe(200)
})

test('a refund does not end what was redeemed', async () => {
  const game = await insertForSale(shop, seller)
  const edition_uid = await insertEdition(shop.server, game.uid)
  const buyer = await signUpBuyer(shop)
  const { uid } = await buy(shop, buyer, game.uid)
  expect((await redeem(buyer, await makeCode(seller, game.uid, { edition_uid }))).status).toBe(200)
  expect((await buyer.json('POST', `/api/v1/private/orders/${uid}/refund`, {})).status).toBe(200)
  await waitForStatus(shop.server, uid, 'refunded')
  expect(await findLicense(shop.server, buyer, game.uid)).toMatchObject({
    source: 'key',
    editionUid: edition_uid,
  })
})

test('redeeming ends the open order for the same, and leaves one for another edition', async () => {
  const game = await insertForSale(shop, seller)
  const edition_uid = await insertEdition(shop.server, game.uid)
  const [first, second] = [await signUpBuyer(shop), await signUpBuyer(shop)]
  const [own, other] = [await checkOut(first, game.uid), await checkOut(second, game.uid, { edition_uid })]
  for (const person of [second, first])
    expect((await redeem(person, await makeCode(seller, game.uid))).status).toBe(200)
  await waitForStatus(shop.server, own.order_uid, 'expired')
  shop.stripe.pay(other.url)
  await waitForStatus(shop.server, other.order_uid, 'paid')
})
