import { type Payments, PaymentsFailure } from '../../../clients/stripe/payments.ts'
import type { Db } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import type { Visibility } from '../../../domain/listings/visibility.ts'
import { AppError } from '../../../errors.ts'
import { askStripe } from './ask.ts'
import type { Payouts } from './model.ts'
import * as queries from './queries.ts'
import { syncAccount } from './sync.ts'

const PAGE = '/studio/payouts'

/** Without keys the store sells nothing, and the routes of selling are missing. */
export function requirePayments({ payments }: Pick<Deps, 'payments'>): Payments {
  if (!payments) throw new AppError('not_found')
  return payments
}

/** For calls that a person waits for. */
export async function callPayments<Answer>(work: Promise<Answer>): Promise<Answer> {
  try {
    return await work
  } catch (error) {
    throw error instanceof PaymentsFailure ? new AppError('payments_failed', { cause: error }) : error
  }
}

/** Why a listing cannot be bought, whatever it costs. */
export type SaleFault = 'hidden' | 'no_account' | 'account_incomplete'

export interface Sellable {
  visibility: Visibility
  ownerUid: string
}

/** The account that a sale is paid out to, or why there can be none. */
export async function findSaleAccount(
  db: Db,
  { visibility, ownerUid }: Sellable,
): Promise<{ accountId: string } | { fault: SaleFault }> {
  if (visibility !== 'public') return { fault: 'hidden' }
  const account = await queries.findSellingAccount(db, ownerUid)
  if (!account || account.goneAt) return { fault: 'no_account' }
  return account.chargesEnabled ? { accountId: account.accountId } : { fault: 'account_incomplete' }
}

/** Whether the page can offer it; null in a store that sells nothing. */
export async function readSale(
  { payments, db }: Pick<Deps, 'payments' | 'db'>,
  game: Sellable,
): Promise<{ isForSale: boolean; fault: SaleFault | null } | null> {
  if (!payments) return null
  const found = await findSaleAccount(db, game)
  return 'fault' in found ? { isForSale: false, fault: found.fault } : { isForSale: true, fault: null }
}

export async function readPayouts(deps: Deps, user: WebsiteUser): Promise<Payouts> {
  requirePayments(deps)
  return toPayouts(await queries.findAccount(deps.db, user.userUid))
}

/** After the developer comes back from Stripe; an unreachable Stripe leaves what is known. */
export async function refreshPayouts(deps: Deps, user: WebsiteUser): Promise<Payouts> {
  const account = await queries.findAccount(deps.db, user.userUid)
  if (account)
    await askStripe(deps, user.userUid, account.accountId, () => syncAccount(deps, account.accountId))
  return await readPayouts(deps, user)
}

/** The address of Stripe's questions, for the first time or to go on. Makes the account if there is none. */
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

/** Null when Stripe refuses because the account no longer exists there; from then on another can be connected. */
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

export function requireVerified({ emailVerified }: WebsiteUser, what: string): void {
  if (emailVerified) return
  throw new AppError('email_not_verified', {
    message: `Confirm your e-mail address to ${what}: open the link in the mail that we sent you.`,
  })
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

function toPayouts(row: queries.AccountRow | undefined): Payouts {
  return {
    connected: row !== undefined && row.goneAt === null,
    charges_enabled: row?.chargesEnabled ?? false,
    payouts_enabled: row?.payoutsEnabled ?? false,
    details_submitted: row?.submitted ?? false,
    missing: row?.missing ?? [],
  }
}
