import { afterAll, beforeAll } from 'bun:test'

import { and, eq } from 'drizzle-orm'

import type { Transaction } from '../../../src/db/client.ts'
import { users } from '../../../src/db/schema/accounts.ts'
import { editions } from '../../../src/db/schema/games/game-pages.ts'
import { licenses } from '../../../src/db/schema/games/game-players.ts'
import { orders, payoutAccounts } from '../../../src/db/schema/selling.ts'
import { forgetAccount } from '../../../src/features/accounts/account-cache.ts'
import { lockHolding } from '../../../src/features/community/library/service.ts'
import type { KeyBatch, KeysInput, NewKeys } from '../../../src/features/selling/keys/model.ts'
import type { Checkout, Order } from '../../../src/features/selling/orders/model.ts'
import type { Paged } from '../../../src/lib/paging.ts'
import { readData } from '../json.ts'
import { type GameRow, insertPublicGame, verifyEmail } from '../listings.ts'
import { type Person, signUp } from '../people.ts'
import { startTestServer, type TestServer } from '../server.ts'
import { READY, startStripeDouble, type StripeDouble, stripeEnv } from '../stripe-double/double.ts'
import { sellerShareOf } from '../stripe-double/money.ts'
import { type Account, type Charge, createId } from '../stripe-double/state.ts'
import { waitFor } from '../wait.ts'

export interface Shop {
  server: TestServer
  stripe: StripeDouble
  stop(): Promise<void>
}

/** For tests of routes that never reach Stripe. */
export const SELLING_ENV = stripeEnv('http://127.0.0.1:9')

/** A store whose jobs run, and the double of Stripe that it talks to. */
export async function startShop(env: Record<string, string> = {}): Promise<Shop> {
  return await startQuietShop({ ROLE: 'all', ...env })
}

/** The same without jobs: events of Stripe are stored, but not processed further. */
export async function startQuietShop(env: Record<string, string> = {}): Promise<Shop> {
  const stripe = await startStripeDouble()
  const server = await startTestServer({ TRUST_PROXY: '1', ...stripe.env, ...env })
  stripe.sendTo(server.url)
  return {
    server,
    stripe,
    async stop() {
      await server.stop()
      await stripe.stop()
    },
  }
}

/** The shop of a test file: started before its tests, stopped after them. */
export function useShop(env: Record<string, string> = {}): Shop {
  return useQuietShop({ ROLE: 'all', ...env })
}

/** The same without jobs. */
export function useQuietShop(env: Record<string, string> = {}): Shop {
  const shop = {} as Shop
  beforeAll(async () => void Object.assign(shop, await startQuietShop(env)))
  afterAll(async () => await shop.stop?.())
  return shop
}

export async function signUpBuyer({ server }: Pick<Shop, 'server'>): Promise<Person> {
  const buyer = await signUp(server)
  await verifyEmail(server, buyer)
  return buyer
}

/** A developer who can take charges. */
export async function signUpSeller(shop: Shop): Promise<Person> {
  const seller = await signUp(shop.server)
  await verifyEmail(shop.server, seller)
  await enableDeveloper(shop.server, seller)
  await connect(shop, seller)
  return seller
}

export async function enableDeveloper(server: TestServer, person: Person): Promise<void> {
  await server.deps.db.update(users).set({ developerMode: true }).where(eq(users.id, person.uid))
  await forgetAccount(server.deps, server.deps.db, person.uid)
}

/** As if the developer had answered all of Stripe's questions. Returns the account's id. */
export async function connect({ server, stripe }: Shop, { uid, email }: Person): Promise<string> {
  const id = createId('acct')
  const metadata = { user_uid: uid }
  const account = { id, object: 'account', type: 'express', email, metadata, ...READY } as const
  stripe.books.accounts.set(id, account as typeof account & Required<typeof READY>)
  const state = { chargesEnabled: true, payoutsEnabled: true, submitted: true }
  await server.deps.db.insert(payoutAccounts).values({ userUid: uid, accountId: id, ...state })
  return id
}

export async function insertForSale(
  { server }: Shop,
  seller: Person,
  values: Parameters<typeof insertPublicGame>[2] = {},
): Promise<GameRow> {
  return await insertPublicGame(server, seller, { priceCents: 999, ...values })
}

export async function askToCheckOut(buyer: Person, gameUid: string, body: object = {}): Promise<Response> {
  return await buyer.json('POST', `/api/v1/private/games/${gameUid}/checkout`, body)
}

export async function checkOut(buyer: Person, gameUid: string, body: object = {}): Promise<Checkout> {
  const answer = await askToCheckOut(buyer, gameUid, body)
  if (answer.status !== 201) throw new Error(`Checkout answered ${answer.status}: ${await answer.text()}`)
  return await readData<Checkout>(answer)
}

export async function readOrder(buyer: Person, uid: string): Promise<Order> {
  return await readData<Order>(await buyer.fetch(`/api/v1/private/orders/${uid}`))
}

/** Orders, pays, and waits until the store knows. */
export async function buy(
  { stripe, server }: Shop,
  buyer: Person,
  gameUid: string,
  body: object = {},
): Promise<Order> {
  const { order_uid, url } = await checkOut(buyer, gameUid, body)
  stripe.pay(url)
  await waitForStatus(server, order_uid, 'paid')
  return await readOrder(buyer, order_uid)
}

/** A sale that is paid, of 1,000 cents unless told. */
export async function sell(shop: Shop, seller: Person, values: Parameters<typeof insertPublicGame>[2] = {}) {
  const game = await insertForSale(shop, seller, { priceCents: 1000, ...values })
  const buyer = await signUpBuyer(shop)
  const order = await buy(shop, buyer, game.uid)
  const payment = await paymentOf(shop.server, order.uid)
  return { game, buyer, order, uid: order.uid, payment, charge: chargeOf(shop, payment) }
}

export const sessionIdOf = (url: string) => url.split('/').at(-1) ?? ''

export function chargeOf({ stripe: { books } }: Shop, paymentId: string): Charge {
  const charge = books.charges.get(books.intents.get(paymentId)?.latest_charge ?? '')
  if (!charge) throw new Error('There is no charge')
  return charge
}

/** The amount of an order that was refunded, according to the double's books. */
export async function givenBackOf(shop: Shop, orderUid: string) {
  const charge = chargeOf(shop, await paymentOf(shop.server, orderUid))
  const { fees, transfers } = shop.stripe.books
  return {
    refunded: charge.amount_refunded,
    feeBack: fees.get(charge.application_fee ?? '')?.amount_refunded,
    reversed: transfers.get(charge.transfer)?.amount_reversed,
  }
}

export async function waitForShare({ stripe }: Shop, charge: Charge, cents: number): Promise<void> {
  await waitFor(`${cents} cents at the developer`, () => sellerShareOf(stripe.books, charge) === cents)
}

/** The account of a seller at Stripe. */
export function accountOf({ stripe }: Shop, { email }: Person): Account {
  const account = [...stripe.books.accounts.values()].find((one) => one.email === email)
  if (!account) throw new Error('There is no account')
  return account
}

/** Reads the table, because reading through the API would ask Stripe. */
export async function waitForStatus(
  { deps }: Pick<TestServer, 'deps'>,
  uid: string,
  status: Order['status'],
  timeoutMs?: number,
): Promise<void> {
  const isReached = async () => (await findOrder({ deps }, uid)).status === status
  await waitFor(`order ${status}`, isReached, timeoutMs)
}

export async function findOrder({ deps }: Pick<TestServer, 'deps'>, uid: string) {
  const [row] = await deps.db.select().from(orders).where(eq(orders.uid, uid))
  if (!row) throw new Error('There is no such order')
  return row
}

export async function paymentOf(server: TestServer, orderUid: string): Promise<string> {
  const { paymentId } = await findOrder(server, orderUid)
  if (paymentId === null) throw new Error('The order is not paid')
  return paymentId
}

export async function findLicense({ deps }: Pick<TestServer, 'deps'>, person: Person, gameUid: string) {
  const [row] = await deps.db
    .select()
    .from(licenses)
    .where(and(eq(licenses.userUid, person.uid), eq(licenses.gameUid, gameUid)))
  return row ?? null
}

/** Starts something that grants or orders this licence, and calls `meanwhile` once it waits for the lock. */
export async function holdUp<Begun>(
  { deps: { db } }: Pick<TestServer, 'deps'>,
  { uid }: Person,
  gameUid: string,
  begin: () => Begun,
  meanwhile: (tx: Transaction) => Promise<void> | void,
): Promise<{ begun: Begun }> {
  return await db.transaction(async (tx) => {
    await lockHolding(tx, uid, gameUid)
    const begun = begin()
    await waitForLocked(tx)
    await meanwhile(tx)
    return { begun }
  })
}

/** Waits until a statement is blocked by a lock of this transaction. */
export async function waitForLocked(tx: Transaction): Promise<void> {
  await waitFor('somebody waits for a lock', async () => {
    const rows = await tx.execute(
      'select 1 from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))',
    )
    return rows.length > 0
  })
}

export const keysPath = (gameUid: string) => `/api/v1/private/games/${gameUid}/keys`

export async function makeKeys(
  owner: Person,
  gameUid: string,
  input: Partial<KeysInput> = {},
): Promise<NewKeys> {
  const answer = await owner.json('POST', keysPath(gameUid), { count: 1, label: 'Press', ...input })
  if (answer.status !== 201) throw new Error(`Keys answered ${answer.status}: ${await answer.text()}`)
  return await readData<NewKeys>(answer)
}

export async function makeCode(
  owner: Person,
  gameUid: string,
  input: Partial<KeysInput> = {},
): Promise<string> {
  const [code = ''] = (await makeKeys(owner, gameUid, input)).codes
  return code
}

export async function readBatches(person: Person, gameUid: string): Promise<KeyBatch[]> {
  return (await readData<Paged<KeyBatch>>(await person.fetch(keysPath(gameUid)))).items
}

export function redeem(person: Person, code: string): Promise<Response> {
  return person.json('POST', '/api/v1/private/redeem', { code })
}

export async function addEdition(
  { deps }: TestServer,
  gameUid: string,
  values: Partial<typeof editions.$inferInsert> = {},
): Promise<string> {
  const [row] = await deps.db
    .insert(editions)
    .values({ gameUid, name: 'Deluxe', priceCents: 1999, ...values })
    .returning()
  return row?.uid ?? ''
}
