import { expect, test } from 'bun:test'

import type { FollowedGame } from '../../../../src/features/catalog/followed/model.ts'
import { readData } from '../../../helpers/json.ts'
import type { Person } from '../../../helpers/people.ts'
import {
  buy,
  givenBackOf,
  insertForSale,
  makeCode,
  redeem,
  signUpBuyer,
  signUpSeller,
  useShop,
} from '../../../helpers/selling/selling.ts'
import { waitFor } from '../../../helpers/wait.ts'

const shop = useShop()

const listOf = async (person: Person) =>
  (await readData<{ items: FollowedGame[] }>(await person.fetch('/api/v1/private/follows'))).items
const wish = async (person: Person, uid: string) =>
  await person.json('PUT', `/api/v1/private/follows/games/${uid}`, { wish: true, platforms: ['web'] })

test('buying follows the releases and takes it off the wishlist; a refund changes nothing of it', async () => {
  const seller = await signUpSeller(shop)
  const [wished, plain] = [await insertForSale(shop, seller), await insertForSale(shop, seller)]
  const buyer = await signUpBuyer(shop)
  await wish(buyer, wished.uid)
  await buy(shop, buyer, wished.uid)
  const order = await buy(shop, buyer, plain.uid)
  expect(await listOf(buyer)).toMatchObject([
    { game: { uid: plain.uid }, releases: true, posts: false, platforms: [], wish: false },
    { game: { uid: wished.uid }, releases: true, posts: true, platforms: ['web'], wish: false },
  ])
  await buyer.json('DELETE', `/api/v1/private/follows/games/${plain.uid}`)
  await buyer.json('POST', `/api/v1/private/orders/${order.uid}/refund`, { reason: 'It does not run.' })
  await waitFor('the refund', async () => (await givenBackOf(shop, order.uid)).refunded > 0)
  expect((await listOf(buyer)).map(({ game }) => game.uid)).toEqual([wished.uid])
})

test('a redeemed key follows the releases and takes it off the wishlist', async () => {
  const seller = await signUpSeller(shop)
  const game = await insertForSale(shop, seller)
  const player = await signUpBuyer(shop)
  await player.json('PUT', `/api/v1/private/follows/games/${game.uid}`, {
    releases: false,
    posts: false,
    wish: true,
  })
  expect((await redeem(player, await makeCode(seller, game.uid))).status).toBeLessThan(300)
  expect(await listOf(player)).toMatchObject([
    { game: { uid: game.uid }, releases: true, posts: false, wish: false, position: null },
  ])
})
