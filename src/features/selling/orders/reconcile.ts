import type { Deps } from '../../../deps.ts'
import * as queries from './queries.ts'
import { syncOrder } from './sync.ts'

const ASK_EVERY_MS = 60_000
const BATCH = 200
/** Longer than any call to Stripe takes: until then somebody may still wait for the answer. */
const UNBEGUN_MS = 10 * 60_000

/** Asks about open orders, and forgets those that Stripe never heard of. */
export async function askAboutOpen(deps: Deps, signal: AbortSignal): Promise<void> {
  if (!deps.payments) return
  const now = Date.now()
  await queries.deleteUnbegunBefore(deps.db, new Date(now - UNBEGUN_MS))
  const before = new Date(now - ASK_EVERY_MS)
  for (const uid of await queries.listWaiting(deps.db, before, BATCH)) {
    signal.throwIfAborted()
    // One that cannot be read must not hold up the others.
    if (await queries.markChecked(deps.db, uid, before))
      await syncOrder(deps, uid).catch((error: unknown) => {
        deps.log.warn('Stripe could not be asked about an order', { order: uid, error })
      })
  }
}
