import type { Transaction } from '../../../db/client.ts'
import { notify } from '../../../db/notify/notify.ts'
import { OPEN_VISIBILITIES, type Visibility } from '../../../domain/listings/visibility.ts'
import { AppError } from '../../../errors.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { indexListings } from '../../games/jobs.ts'
import { closeUnpayableOrders } from '../../games/open-orders.ts'
import { ALL_GAMES, GAME_CHANGED, GAME_TAKEN_DOWN } from '../../games/service.ts'
import { holdPolicies } from '../../settings/service.ts'
import * as queries from './adult-queries.ts'

const REASON = 'This store does not allow adult content.'

/** Hides every adult page as taking it down does, which each reader of pages honours, and remembers what it was. */
export async function hideAdultPages(tx: Transaction): Promise<void> {
  await queries.hideAdult(tx, REASON)
  await closeUnpayableOrders(tx, 'all')
  await forgetAll(tx)
}

/** Undoes the same; what operators took down themselves stays so. */
export async function showAdultPages(tx: Transaction): Promise<void> {
  await queries.showAdult(tx)
  await forgetAll(tx)
}

async function forgetAll(tx: Transaction): Promise<void> {
  await notify(tx, GAME_CHANGED, ALL_GAMES)
  await notify(tx, GAME_TAKEN_DOWN, ALL_GAMES)
  await enqueue(tx, indexListings, {})
}

/** Holds the policy until the transaction ends, so that no page becomes open while it changes. */
export async function refuseOpenAdult(
  tx: Transaction,
  { adult, visibility }: { adult: boolean; visibility: Visibility },
): Promise<void> {
  if (!adult || !OPEN_VISIBILITIES.some((open) => open === visibility)) return
  if ((await holdPolicies(tx)).adult_content === 'allowed') return
  throw new AppError('listing_check_failed', {
    message: `${REASON} Keep the page a draft, or remove what makes it adult.`,
    data: {
      lint: {
        ok: false,
        errors: [{ code: 'adult_not_allowed', field: 'adult', message: REASON }],
        warnings: [],
      },
    },
  })
}
