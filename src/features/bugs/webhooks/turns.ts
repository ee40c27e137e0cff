import type { Database, Transaction } from '../../../db/client.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { deliverWebhooks } from './jobs.ts'
import * as queries from './turn-queries.ts'

const OVERDUE_MS = 10 * 60 * 1000
const OWNERS_MAX = 1000

/**
 * An owner has one turn running and one waiting, and whoever waits longest is next. A turn that is already queued for
 * an earlier moment keeps its place.
 */
export async function queueTurn(tx: Transaction, ownerUid: string, at: Date): Promise<void> {
  await queries.lockTurns(tx, ownerUid)
  const key = `bugs.deliver:${ownerUid}`
  const wanted = Math.max(at.getTime(), Date.now())
  const queued = (await queries.findQueuedAt(tx, key))?.getTime() ?? wanted
  const runAt = new Date(Math.min(queued, wanted))
  await enqueue(tx, deliverWebhooks, { ownerUid }, { runAt, key, queue: key })
}

/** For the delivery that is due next. */
export async function queueNextTurn(db: Database, ownerUid: string): Promise<void> {
  await db.transaction(async (tx) => {
    await queries.lockTurns(tx, ownerUid)
    const next = await queries.findNextTry(tx, ownerUid)
    if (next) await queueTurn(tx, ownerUid, next)
  })
}

export async function queueOverdueTurns(db: Database): Promise<void> {
  const before = new Date(Date.now() - OVERDUE_MS)
  for (const ownerUid of await queries.listOverdueOwners(db, before, OWNERS_MAX))
    await queueNextTurn(db, ownerUid)
}
