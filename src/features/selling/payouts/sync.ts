import { isDeepStrictEqual } from 'node:util'

import type { Payments } from '../../../clients/stripe/payments.ts'
import type { Deps } from '../../../deps.ts'
import { notifyPages } from '../../games/service.ts'
import * as queries from './queries.ts'

const ATTEMPTS = 5
const PAGES_MAX = 500

/**
 * Writes what Stripe says, if nothing newer was written meanwhile: what is read later is written later, however many
 * ask at once. The developer's pages then say anew whether they are for sale.
 */
export async function syncAccount(deps: Deps, accountId: string): Promise<void> {
  const { db, payments } = deps
  if (!payments) return
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const row = await queries.findAccountById(db, accountId)
    if (!row || (await writeState(deps, payments, row))) return
  }
  throw new Error('The payout account is being changed by others; asking again')
}

async function writeState({ db }: Deps, payments: Payments, row: queries.AccountRow): Promise<boolean> {
  const read = await payments.readAccount(row.accountId)
  const state = read
    ? { ...read, goneAt: null }
    : { ...queries.NOTHING_YET, goneAt: row.goneAt ?? new Date() }
  if (isDeepStrictEqual(state, pickState(row))) return true
  return await db.transaction(async (tx) => {
    if (!(await queries.updateAccount(tx, row, state))) return false
    if (state.chargesEnabled !== row.chargesEnabled)
      await notifyPages(tx, await queries.listPublicGames(tx, row.userUid, PAGES_MAX))
    return true
  })
}

function pickState({ chargesEnabled, payoutsEnabled, submitted, missing, goneAt }: queries.AccountRow) {
  return { chargesEnabled, payoutsEnabled, submitted, missing, goneAt }
}
