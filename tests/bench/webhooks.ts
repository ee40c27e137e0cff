import { join } from 'node:path'

import { eq, isNotNull, sql } from 'drizzle-orm'

import type { Database } from '../../src/db/client.ts'
import { users } from '../../src/db/schema/accounts.ts'
import { games } from '../../src/db/schema/games/games.ts'
import { orders } from '../../src/db/schema/selling.ts'
import { createUid } from '../../src/lib/ids.ts'

export interface SoldOrder {
  orderUid: string
  sessionId: string
  amount: number
  fee: number
  accountId: string
}

export interface WebhookTask {
  port: number
  /** The events of each are sent at a time. */
  parts: SoldOrder[][]
  ordersPerSecond: number
  storeUrl: string
}

export interface SentEvents {
  /** Milliseconds of every event that was taken. */
  times: number[]
  /** How often, by what happened. */
  failures: Record<string, number>
}

export interface EventSender {
  /** The events of the next part. */
  send(): Promise<SentEvents>
  stop(): Promise<void>
}

const CHILD = join(import.meta.dir, 'webhooks-child.ts')
const AMOUNT = 999
const FEE = 99
const INSERTED_AT_ONCE = 1000

/** Open orders of the listings, by people of the store: nobody orders a listing twice. */
export async function insertOrders(db: Database, count: number): Promise<SoldOrder[]> {
  const buyers = await db.select({ uid: users.id }).from(users).limit(20)
  const listed = await db.select().from(games).where(eq(games.visibility, 'public')).limit(count)
  const pairs = buyers.flatMap((_, turn) =>
    listed.map((game, index) => ({ game, buyer: buyers[(index + turn) % buyers.length] })),
  )
  const rows = pairs.slice(0, count).map(({ game, buyer }) => ({
    uid: createUid(),
    userUid: buyer?.uid ?? null,
    sellerUid: game.ownerUid,
    gameUid: game.uid,
    gameName: game.name,
    amountCents: AMOUNT,
    feeCents: FEE,
    accountId: 'acct_bench',
    sessionId: `cs_test_${createUid()}`,
    expiresAt: new Date(Date.now() + 3_600_000),
  }))
  for (let at = 0; at < rows.length; at += INSERTED_AT_ONCE)
    await db.insert(orders).values(rows.slice(at, at + INSERTED_AT_ONCE))
  return rows.map(({ uid: orderUid, sessionId, accountId }) => {
    return { orderUid, sessionId, accountId, amount: AMOUNT, fee: FEE }
  })
}

/** How many are paid, with the cent that was given back. */
export async function countSettled(db: Database): Promise<number> {
  return await db.$count(orders, sql`${isNotNull(orders.paidAt)} and ${eq(orders.refundedCents, 1)}`)
}

/** Starts the process that has the books and sends the events. */
export async function startSender(task: WebhookTask): Promise<EventSender> {
  const child = Bun.spawn([process.execPath, CHILD], { stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' })
  const lines = readLines(child.stdout)
  const tell = async (line: string) => {
    await child.stdin.write(`${line}\n`)
    await child.stdin.flush()
    const { value } = await lines.next()
    if (value === undefined) throw new Error('The process that sends events ended')
    return value
  }
  await tell(JSON.stringify(task))
  return {
    send: async () => JSON.parse(await tell('go')),
    async stop() {
      await child.stdin.end()
      await child.exited
    },
  }
}

async function* readLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, undefined> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true })
    const whole = text.split('\n')
    text = whole.pop() ?? ''
    yield* whole
  }
}
