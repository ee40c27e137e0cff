import type { Transaction } from '../../db/client.ts'
import type { Deps } from '../../deps.ts'
import { AppError } from '../../errors.ts'
import { enqueue } from '../../jobs/queue.ts'
import { closeUnpayableOrders } from '../games/open-orders.ts'
import { notifyPagesShowing } from '../games/service.ts'
import { sendMail } from '../mail/jobs.ts'
import { forgetAccount } from './account-cache.ts'
import { suspendedMail, suspensionEndedMail } from './mails.ts'
import { deleteSessions, restoreUser, suspendUser } from './queries.ts'

/** The library's code for a refused sign-in. */
export const ACCOUNT_SUSPENDED = 'ACCOUNT_SUSPENDED'
export const SUSPENDED_MESSAGE = 'This account is suspended. The mail we sent to its address says why.'

interface Account {
  uid: string
  email: string
}

/**
 * Ends sessions for good. Player keys, programs and deploy keys are refused while the suspension lasts, and
 * work again when it ends. Sessions go first: a transaction that holds one may be waiting for the account's
 * row.
 */
export async function suspendAccount(
  deps: Deps,
  tx: Transaction,
  { uid, email }: Account,
  reason: string | null,
): Promise<void> {
  await deleteSessions(tx, uid)
  if (!(await suspendUser(tx, uid, reason)))
    throw new AppError('taken', { message: 'This account is already suspended.' })
  await closeUnpayableOrders(tx, { userUid: uid })
  await notifyPagesShowing(tx, uid)
  await forgetAccount(deps, tx, uid)
  await enqueue(tx, sendMail, suspendedMail({ email }, reason))
}

export async function endSuspension(
  deps: Deps,
  tx: Transaction,
  { uid, email }: Account,
  signInUrl: string,
): Promise<void> {
  if (!(await restoreUser(tx, uid)))
    throw new AppError('taken', { message: 'This account is not suspended.' })
  await notifyPagesShowing(tx, uid)
  await forgetAccount(deps, tx, uid)
  await enqueue(tx, sendMail, suspensionEndedMail({ email }, signInUrl))
}
