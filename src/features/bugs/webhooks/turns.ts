import type { Db } from '../../../db/client.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { deliverWebhooks } from './jobs.ts'
import * as queries from './turn-queries.ts'

const OVERDUE_MS = 10 * 60 * 1000
const OWNERS_MAX = 1000

/**
 * An owner has one turn running and one waiting, and whoever waits longest is next. A turn that is already queued for
 * an earlier moment keeps its place.
 */
export async function queueTurn(db: Db, ownerUid: string, at: Date): Promise<void> {
  const key = `bugs.deliver:${ownerUid}`
  const wanted = Math.max(at.getTime(), Date.now())
  const queued = (await queries.findQueuedAt(db, key))?.getTime() ?? wanted
  const runAt = new Date(Math.min(queued, wanted))
  await enqueue(db, deliverWebhooks, { ownerUid }, { runAt, key, queue: key })
}

export async function queueOverdueTurns(db: Db): Promise<void> {
  const before = new Date(Date.now() - OVERDUE_MS)
  for (const ownerUid of await queries.listOverdueOwners(db, before, OWNERS_MAX))
    await queueTurn(db, ownerUid, new Date())
}
