import { editions } from '../../../src/db/schema/games/game-pages.ts'
import { orders, payoutAccounts } from '../../../src/db/schema/selling.ts'
import { DAY_MS } from '../../../src/lib/time.ts'
import { insertLicense } from '../listings.ts'
import { signUpOperator } from '../operators.ts'
import { type Person, signUp } from '../people.ts'
import { enableDeveloper, type Shop, signUpBuyer, signUpSeller } from '../selling/selling.ts'
import { type FullListing, publishListing } from '../store-listing.ts'
import { createId } from '../stripe-double/state.ts'

type OrderValues = Partial<typeof orders.$inferInsert>

export interface ShopData {
  seller: Person
  /** Of a developer to whom Stripe still has questions. */
  unready: Person
  /** Holds the listing, and has orders in every state. */
  buyer: Person
  operator: Person
  /** With editions, where buyers may pay more. */
  game: FullListing
  /** Free, with support for the developer. */
  free: FullListing
  notForSale: FullListing
  orders: Record<'open' | 'paid' | 'expired' | 'refunded' | 'disputed', string>
}

/** A shop with something to see on every page of selling. */
export async function fillShop(shop: Shop, name: string): Promise<ShopData> {
  const { server } = shop
  const [seller, buyer, unready, operator] = [
    await signUpSeller(shop),
    await signUpBuyer(shop),
    await signUp(server),
    await signUpOperator(server),
  ]
  await enableDeveloper(server, unready)
  const missing = ['external_account', 'individual.verification.document', 'tos_acceptance.date']
  const account = { userUid: unready.uid, accountId: createId('acct'), missing }
  await server.deps.db.insert(payoutAccounts).values(account)
  const priced = { anonymousDownloads: false, priceCents: 1499 }
  const game = await publishListing(server, seller, { ...priced, name, payMore: true })
  const free = await publishListing(server, seller, {
    anonymousDownloads: false,
    name: 'Tip jar',
    payMore: true,
  })
  await server.deps.db.delete(editions)
  const notForSale = await publishListing(server, unready, priced)
  const soundtrack = { gameUid: game.game.uid, name: 'With soundtrack', priceCents: 1999 }
  const collector = { gameUid: game.game.uid, name: `Collector’s ${name}`, priceCents: 4999 }
  const [edition] = await server.deps.db.insert(editions).values([soundtrack, collector]).returning()
  const bought = { userUid: buyer.uid, editionUid: edition?.uid ?? '', editionName: 'With soundtrack' }
  const insert = (values: OrderValues) => insertOrder(shop, seller, game, values)
  await insertLicense(server, game.game.uid, buyer, { source: 'bought', editionUid: edition?.uid ?? null })
  const data = {
    open: await insert({ userUid: buyer.uid, status: 'open', paidAt: null, receiptUrl: null }),
    paid: await insert({ ...bought, amountCents: 2500, feeCents: 250 }),
    expired: await insert({ userUid: buyer.uid, status: 'expired', paidAt: null, receiptUrl: null }),
    refunded: await insert({
      userUid: buyer.uid,
      status: 'refunded',
      refundedCents: 1499,
      feeRefundedCents: 150,
    }),
    disputed: await insert({ userUid: buyer.uid, status: 'disputed', dispute: 'open', country: 'JP' }),
  }
  for (let day = 0; day < 28; day += 1) {
    const paidAt = new Date(Date.now() - day * DAY_MS)
    const part = day % 5 === 0 ? { refundedCents: 500, feeRefundedCents: 50 } : {}
    const country = ['US', 'DE', null][day % 3] ?? null
    for (let count = 0; count <= (day * 7) % 4; count += 1) await insert({ paidAt, country, ...part })
  }
  return { seller, buyer, unready, operator, game, free, notForSale, orders: data }
}

async function insertOrder(
  { server, stripe }: Shop,
  seller: Person,
  { game }: FullListing,
  values: OrderValues,
): Promise<string> {
  const sessionId = createId('cs_test')
  const [row] = await server.deps.db
    .insert(orders)
    .values({
      sellerUid: seller.uid,
      gameUid: game.uid,
      gameName: game.name,
      amountCents: 1499,
      feeCents: 150,
      accountId: createId('acct'),
      status: 'paid',
      country: 'US',
      sessionId,
      sessionUrl: `${stripe.origin}/pay/${sessionId}`,
      receiptUrl: `${stripe.origin}/receipts/${sessionId}`,
      expiresAt: new Date(Date.now() + DAY_MS),
      paidAt: new Date(),
      ...values,
    })
    .returning()
  return row?.uid ?? ''
}
