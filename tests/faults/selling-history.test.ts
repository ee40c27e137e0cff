import { afterAll, beforeAll, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { editions } from '../../src/db/schema/games/game-pages.ts'
import { orders, refunds } from '../../src/db/schema/selling.ts'
import type { Checkout } from '../../src/features/selling/orders/model.ts'
import { pollOpenOrders } from '../../src/features/selling/orders/settle.ts'
import { findLastListed } from '../../src/features/selling/webhooks/queries.ts'
import { fetchMissedEvents } from '../../src/features/selling/webhooks/service.ts'
import { createRandom } from '../../src/lib/random.ts'
import { readData } from '../helpers/json.ts'
import { signUpOperator } from '../helpers/operators.ts'
import type { Person } from '../helpers/people.ts'
import { auditShop } from '../helpers/selling/audit.ts'
import { type KilledShop, makeJobsDue, startKilledShop } from '../helpers/selling/child.ts'
import { insertForSale, signUpBuyer } from '../helpers/selling/selling.ts'
import type { StripeEvent } from '../helpers/stripe-double/state.ts'
import { waitFor, waitWhileProgressing } from '../helpers/wait.ts'

/** HISTORY_ORDERS=1000 takes two minutes on two quiet cores. */
const ORDERS = Number(process.env['HISTORY_ORDERS'] ?? 400)
/** The same seed plans the same orders; what overlaps with what depends on the machine. */
const SEED = Number(process.env['HISTORY_SEED'] ?? Date.now() % 1_000_000)
const KILLS = 6
const AT_ONCE = 12
const BUYERS = 80
const GAMES = 30
const SELLERS = 5
const DELAY_MAX_MS = 400
const HOUR = 60 * 60
const NOTHING = '0 jobs and 0 promised refunds'

interface Item {
  gameUid: string
  seller: Person
  body: { edition_uid?: string; amount_cents?: number }
}

const random = createRandom(SEED)
let shop: KilledShop
let sellers: Person[]
let buyers: Person[]
let items: Item[]
let restart: Promise<void> = Promise.resolve()
beforeAll(async () => {
  shop = await startKilledShop()
  sellers = await Promise.all(Array.from({ length: SELLERS }, () => shop.signUpSeller()))
  buyers = await Promise.all(Array.from({ length: BUYERS }, () => signUpBuyer(shop)))
  items = (await Promise.all(Array.from({ length: GAMES }, offer))).flat()
})
afterAll(() => shop.stop())

/** A listing with an edition, and one that may be paid more for. */
async function offer(): Promise<Item[]> {
  const seller = random.pick(sellers)
  const priceCents = 99 + random.below(5000)
  const more = priceCents * 3 + 1
  const { uid: gameUid } = await insertForSale(shop, seller, { priceCents, payMore: true })
  const edition = { gameUid, name: 'Deluxe', priceCents: priceCents + 333 }
  const [row] = await shop.server.deps.db.insert(editions).values(edition).returning()
  const bodies = [{}, { edition_uid: row?.uid ?? '' }, { amount_cents: more }]
  return bodies.map((body) => ({ gameUid, seller, body }))
}

/** What one buyer will do with one order. */
function plan() {
  return {
    buyer: random.pick(buyers),
    item: random.pick(items),
    isPaid: random.chance(0.85),
    looks: random.chance(0.2),
    refund: random.pick(['none', 'none', 'none', 'whole', 'twice', 'part'] as const),
    cents: 1 + random.below(98),
    dispute: random.pick(['none', 'none', 'none', 'none', 'open', 'won', 'lost'] as const),
  }
}

let placed = 0
let underWay = 0
const surprises = new Map<string, number>()

/** Events come late, twice and in another order, and one of ten never. */
function scramble(event: StripeEvent): void {
  if (random.chance(0.1)) return
  for (let times = random.chance(0.3) ? 2 : 1; times > 0; times -= 1) {
    underWay += 1
    const send = () => shop.stripe.send(event).finally(() => void (underWay -= 1))
    setTimeout(() => void send(), random.below(DELAY_MAX_MS))
  }
}

/** Null while the store is down: whoever asked then does not know what became of it. */
async function ask(person: Person, method: string, path: string, body?: object): Promise<Response | null> {
  const answer = await shop
    .at(person)
    .json(method, path, body)
    .catch(() => null)
  if (!answer) await restart
  return answer
}

const EXPECTED = {
  checkout: new Set([201, 409, 429, 502]),
  // Disputed or given back meanwhile, or more than is left.
  refund: new Set([200, 400, 409, 429, 502]),
  look: new Set([200]),
}

async function drain(what: keyof typeof EXPECTED, answer: Response | null): Promise<void> {
  if (!answer) return
  const text = answer.bodyUsed ? '' : await answer.text()
  if (EXPECTED[what].has(answer.status)) return
  const surprise = `${what} answered ${answer.status} ${text.slice(0, 200)}`
  surprises.set(surprise, (surprises.get(surprise) ?? 0) + 1)
}

async function live(): Promise<void> {
  while (placed < ORDERS) {
    const { buyer, item, isPaid, looks, refund, cents, dispute } = plan()
    const answer = await ask(buyer, 'POST', `/api/v1/private/games/${item.gameUid}/checkout`, item.body)
    if (answer?.status !== 201) {
      await drain('checkout', answer)
      continue
    }
    const { url, order_uid } = await readData<Checkout>(answer)
    placed += 1
    if (placed % Math.ceil(ORDERS / (KILLS + 1)) === 0) restart = shop.crash()
    const paymentId = isPaid ? pay(url) : null
    if (paymentId === null) continue
    const path = `/api/v1/private/orders/${order_uid}`
    if (looks || refund !== 'none') await drain('look', await ask(buyer, 'GET', path))
    const asked = {
      none: [],
      whole: [() => ask(buyer, 'POST', `${path}/refund`, {})],
      twice: [1, 2].map(() => () => ask(buyer, 'POST', `${path}/refund`, {})),
      part: [() => ask(item.seller, 'POST', `${path}/refund`, { amount_cents: cents, reason: 'A bug' })],
    }[refund].map(async (send) => await drain('refund', await send()))
    if (dispute !== 'none') shop.stripe.openDispute(paymentId)
    await Promise.all(asked)
    if (dispute === 'won' || dispute === 'lost') shop.stripe.closeDispute(paymentId, dispute)
  }
}

/** Null when the session ended or was paid meanwhile. */
function pay(url: string): string | null {
  try {
    shop.stripe.pay(url)
  } catch {
    return null
  }
  return shop.stripe.books.sessions.get(url.split('/').at(-1) ?? '')?.payment_intent ?? null
}

test(`after ${ORDERS} random orders (seed ${SEED}) with kills of the store licences, orders, sales and the books of Stripe agree to the cent`, async () => {
  const started = performance.now()
  shop.stripe.route(scramble)
  await Promise.all(Array.from({ length: AT_ONCE }, live))
  await restart
  shop.stripe.route(null)
  const lived = performance.now()
  await settle()
  const settled = performance.now()
  const operator = await signUpOperator(shop.server)
  const faults = await auditShop(shop, { operator, sellers })
  const seconds = (from: number, to: number) => `${((to - from) / 1000).toFixed(1)} s`
  const { charges, refunds: given, disputes, events } = shop.stripe.books
  process.stdout.write(
    `seed ${SEED}: ${placed} orders, ${charges.size} paid, ${given.size} refunds, ${disputes.size} disputes, ${events.length} events; ` +
      `${seconds(started, lived)} to live, ${seconds(lived, settled)} to settle, ${seconds(settled, performance.now())} to compare\n`,
  )
  expect({ seed: SEED, faults, surprises: [...surprises] }).toEqual({ seed: SEED, faults: [], surprises: [] })
  expect(charges.size).toBeGreaterThan(ORDERS / 2)
}, 600_000)

/** What the jobs of the store do within minutes, at once; then waits until nothing is under way. */
async function settle(): Promise<void> {
  const { deps } = shop.server
  const { signal } = new AbortController()
  const { books } = shop.stripe
  await waitFor('the events that are under way', () => underWay === 0, 60_000)
  for (const event of books.events) event.created -= HOUR
  for (let last: string | null = ''; last !== (last = await findLastListed(deps.db));)
    await fetchMissedEvents(deps, signal)
  const isOpen = eq(orders.status, 'open')
  await deps.db
    .update(orders)
    .set({ checkedAt: new Date(0) })
    .where(isOpen)
  for (let left = 1; left > 0; left = await countUnasked()) await pollOpenOrders(deps, signal)
  await makeJobsDue(shop)
  const rest = async () => {
    const promised = await deps.db.$count(refunds, eq(refunds.state, 'pending'))
    // The job of a refund writes the order after the refund is made; without a need for it, it only waits.
    const [jobs] = await deps.db.execute<{ count: number }>(`select count(*)::int as count
      from graphile_worker.jobs where task_identifier in ('selling.order', 'selling.close', 'selling.undelivered', 'selling.transfer')
      or (task_identifier = 'selling.refund' and locked_at is not null)`)
    return `${jobs?.count} jobs and ${promised} promised refunds`
  }
  await waitWhileProgressing(
    'an end of all work',
    async () => (await rest()) === NOTHING,
    rest,
    90_000,
  ).catch(async (error: unknown) => {
    throw new Error(`seed ${SEED}: ${await rest()} are left: ${JSON.stringify(await listLeft())}`, {
      cause: error,
    })
  })

  async function listLeft(): Promise<object[]> {
    return await deps.db
      .execute(`select task_identifier, attempts, max_attempts, run_at, locked_at, last_error
      from graphile_worker.jobs where task_identifier like 'selling.%' limit 5`)
  }

  async function countUnasked(): Promise<number> {
    const rows = await deps.db.select().from(orders).where(isOpen)
    return rows.filter(({ checkedAt, sessionId }) => sessionId !== null && checkedAt.getTime() === 0).length
  }
}
