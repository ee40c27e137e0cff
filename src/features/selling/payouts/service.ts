import { isDeepStrictEqual } from 'node:util'

import { countInRow } from '../../../clients/rate-store/count-request.ts'
import { type Payments, PaymentsFailure } from '../../../clients/stripe/payments.ts'
import type { Db } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { findSaleFault, type SaleFault } from '../../../domain/listings/orders.ts'
import type { Visibility } from '../../../domain/listings/visibility.ts'
import { AppError } from '../../../errors.ts'
import { respond } from '../../../lib/respond.ts'
import { notifyPages } from '../../games/service.ts'
import { Payouts } from './model.ts'
import * as queries from './queries.ts'

const PAGE = '/studio/payouts'
const ATTEMPTS = 5
const PAGES_MAX = 500

/** Without keys the store sells nothing, and the routes of selling are missing. */
export function requirePayments({ payments }: Pick<Deps, 'payments'>): Payments {
  if (!payments) throw new AppError('not_found')
  return payments
}

/** For calls in a request of a person: Stripe's failures become errors that pages and the API can show. */
export async function callPayments<Answer>(work: Promise<Answer>): Promise<Answer> {
  try {
    return await work
  } catch (error) {
    throw error instanceof PaymentsFailure ? new AppError('payments_failed', { cause: error }) : error
  }
}

/** Ignores accounts of suspended owners. */
export async function findSellingAccount(db: Db, ownerUid: string): Promise<queries.AccountRow | undefined> {
  return await queries.findSellingAccount(db, ownerUid)
}

/** Whether the page can offer it; null in a store that sells nothing. */
export async function findSale(
  { payments, db }: Pick<Deps, 'payments' | 'db'>,
  { visibility, ownerUid }: { visibility: Visibility; ownerUid: string },
): Promise<{ isForSale: boolean; fault: SaleFault | null } | null> {
  if (!payments) return null
  const fault = findSaleFault({ visibility, account: await queries.findSellingAccount(db, ownerUid) })
  return { isForSale: fault === null, fault }
}

export async function loadPayouts(deps: Deps, user: WebsiteUser): Promise<Payouts> {
  requirePayments(deps)
  const account = await queries.findAccount(deps.db, user.userUid)
  const state = account ?? { ...queries.NO_STATE, goneAt: null }
  return respond(Payouts, state, {
    connected: account?.goneAt === null,
    details_submitted: state.submitted,
  })
}

/** For developers who return from Stripe. If Stripe is unreachable, returns the last known state. */
export async function refreshPayouts(deps: Deps, user: WebsiteUser): Promise<Payouts> {
  const account = await queries.findAccount(deps.db, user.userUid)
  if (account)
    await askStripe(deps, user.userUid, account.accountId, () => syncAccount(deps, account.accountId))
  return await loadPayouts(deps, user)
}

/** Returns the address of Stripe's onboarding, to begin or continue. Creates the account if there is none. */
export async function beginOnboarding(deps: Deps, user: WebsiteUser): Promise<string> {
  const payments = requirePayments(deps)
  if (!user.developerMode) throw new AppError('developer_mode_needed')
  requireVerified(user, 'connect a Stripe account')
  const page = deps.config.baseUrl + PAGE
  const pages = { returnUrl: `${page}/return`, refreshUrl: `${page}/refresh` }
  const ask = async () => await payments.onboardingUrl(await ensureAccount(deps, payments, user), pages)
  return await callPayments(unlessGone(deps, user, ask).then((url) => url ?? ask()))
}

export async function openDashboard(deps: Deps, user: WebsiteUser): Promise<string> {
  const payments = requirePayments(deps)
  const account = await queries.findAccount(deps.db, user.userUid)
  const { accountId, submitted } = account ?? { accountId: '', submitted: false }
  const url = submitted
    ? await callPayments(unlessGone(deps, user, () => payments.dashboardUrl(accountId)))
    : null
  if (url === null)
    throw new AppError('not_found', { message: 'You have no Stripe account here yet. Connect one first.' })
  return url
}

export function requireVerified({ emailVerified }: WebsiteUser, what: string): void {
  if (emailVerified) return
  throw new AppError('email_not_verified', {
    message: `Confirm your e-mail address to ${what}: open the link in the mail that we sent you.`,
  })
}

/** Null if the account no longer exists at Stripe; it is then marked, so that another can be connected. */
async function unlessGone(
  deps: Deps,
  { userUid }: WebsiteUser,
  ask: () => Promise<string>,
): Promise<string | null> {
  try {
    return await ask()
  } catch (error) {
    const account = await queries.findAccount(deps.db, userUid)
    if (!account || !(error instanceof PaymentsFailure && error.kind === 'refused')) throw error
    await syncAccount(deps, account.accountId)
    if ((await queries.findAccount(deps.db, userUid))?.goneAt) return null
    throw error
  }
}

async function ensureAccount(deps: Deps, payments: Payments, user: WebsiteUser): Promise<string> {
  const known = await queries.findAccount(deps.db, user.userUid)
  if (known && !known.goneAt) return known.accountId
  const accountId = await payments.createAccount(user, known?.accountId ?? null)
  if (known) await queries.replaceAccount(deps.db, known, accountId)
  else await queries.insertAccount(deps.db, user.userUid, accountId)
  const made = await queries.findAccount(deps.db, user.userUid)
  if (!made) throw new AppError('unauthorized')
  return made.accountId
}

/**
 * Writes Stripe's state of the account. If another call wrote meanwhile, Stripe is asked again. If selling
 * becomes possible, or no longer is, the developer's public pages are refreshed.
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
  const state = read ? { ...read, goneAt: null } : { ...queries.NO_STATE, goneAt: row.goneAt ?? new Date() }
  const { chargesEnabled, payoutsEnabled, submitted, missing, goneAt } = row
  if (isDeepStrictEqual(state, { chargesEnabled, payoutsEnabled, submitted, missing, goneAt })) return true
  return await db.transaction(async (tx) => {
    if (!(await queries.updateAccount(tx, row, state))) return false
    if (state.chargesEnabled !== chargesEnabled)
      await notifyPages(tx, await queries.listPublicGames(tx, row.userUid, PAGES_MAX))
    return true
  })
}

interface Question {
  subject: string
  done: Promise<unknown>
}

/** The request to Stripe that is running for each user. */
const asked = new Map<string, Question>()

/**
 * For pages that show Stripe's state: one request at a time per user, 30 a minute; equal concurrent ones are
 * shared. Never throws: over the limit, or if Stripe is unreachable, the page shows what is stored.
 */
export async function askStripe(
  { rates, log }: Deps,
  userUid: string,
  subject: string,
  ask: () => Promise<unknown>,
): Promise<void> {
  for (let other = asked.get(userUid); other; other = asked.get(userUid)) {
    await other.done
    if (other.subject === subject) return
  }
  const question = async () => {
    try {
      await countInRow(rates, 'stripe_questions', userUid)
      await ask()
    } catch (error) {
      log.warn('Stripe was not asked about an order or account', { subject, error })
    }
  }
  const done = question().finally(() => asked.delete(userUid))
  asked.set(userUid, { subject, done })
  await done
}
