import type { RateStore } from '../../../clients/rate-store/rate-store.ts'
import type { Db } from '../../../db/client.ts'
import { addLastingCount } from '../../../db/rate-counts.ts'
import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { LIMITS } from '../../../domain/limit-table.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { hashToken, sha256Hex } from '../../../lib/bytes/hash.ts'
import { createSecret } from '../../../lib/ids.ts'
import { sendMail } from '../../mail/jobs.ts'
import { passwordResetMail, verificationMail } from '../mails.ts'
import * as queries from './pending-queries.ts'

/** A mailed link is valid for one hour. */
export const LINK_SECONDS = 3600
/** Where the mailed link leads: a page with a button. */
const CONFIRM_PAGE = '/verify'
const { account_mails: HOUR, account_mails_daily: DAY } = LIMITS

/** Whether another link may be mailed to this mailbox. `db` is the library's transaction while it has one open. */
async function mayMail(rates: RateStore, db: Db, email: string): Promise<boolean> {
  const mailbox = sha256Hex(mailboxOf(email))
  const { count: thisHour } = await rates.add(`account_mails:${mailbox}`, HOUR.windowSeconds * 1000)
  const { count: today } = await addLastingCount(
    db,
    `account_mails_daily:${mailbox}`,
    DAY.windowSeconds * 1000,
  )
  return isWithinBudget(thisHour, today)
}

/**
 * After the daily limit one mail an hour is still sent. Its link is valid for an hour, so others cannot use up the mails
 * that the owner needs for a new password.
 */
export function isWithinBudget(thisHour: number, today: number): boolean {
  return thisHour <= (today <= DAY.max ? HOUR.max : 1)
}

/** Many providers deliver `name+anything@…` to one mailbox. */
export function mailboxOf(email: string): string {
  const [local = '', ...domain] = email.trim().toLowerCase().split('@')
  return [local.replace(/(?<=.)\+.*$/, ''), ...domain].join('@')
}

/** The address is the account's own, or the one it asked to move to. */
export async function sendConfirmation(
  { rates, config }: Deps,
  db: Db,
  { id, email }: { id: string; email: string },
): Promise<void> {
  if (!(await mayMail(rates, db, email))) return
  const token = createSecret()
  const expiresAt = new Date(Date.now() + LINK_SECONDS * 1000)
  await db.transaction(async (tx) => {
    await queries.replaceConfirmation(tx, { userUid: id, email, tokenHash: sha256Hex(token), expiresAt })
    const mail = verificationMail({ email }, `${config.baseUrl}${CONFIRM_PAGE}?token=${token}`)
    await enqueue(tx, sendMail, mail)
  })
}

/** The address that the link would confirm; null unless it belongs to this account and is valid. */
export async function loadConfirmation(deps: Deps, user: WebsiteUser, token: string): Promise<string | null> {
  const found = await queries.findConfirmation(deps.db, user.userUid, sha256Hex(token), new Date())
  return found?.email ?? null
}

const PREFIX = 'reset-password'

/** Stores links as hashes, so that reading the database gives no usable link. */
export const RESET_LINKS = {
  default: 'plain' as const,
  overrides: { [PREFIX]: { hash: async (identifier: string) => hashToken(identifier) } },
}

interface ResetLink {
  user: { id: string; email: string }
  url: string
  token: string
}

/** Called when the library has stored the link. Deletes older links, or this one if the mailbox got too many mails. */
export async function sendResetLink(
  { rates, config }: Deps,
  db: Db,
  { user, url, token }: ResetLink,
): Promise<void> {
  const identifier = identifierOf(token)
  if (!(await mayMail(rates, db, user.email))) {
    await queries.deleteResetLink(db, identifier)
    return
  }
  await db.transaction(async (tx) => {
    await queries.deleteResetLinks(tx, user.id, identifier)
    await enqueue(tx, sendMail, passwordResetMail(user, linkTo(config.baseUrl, url, token)))
  })
}

/** Whether a new password can be set with it. */
export async function isResetLink(db: Db, token: string): Promise<boolean> {
  return await queries.hasResetLink(db, identifierOf(token), new Date())
}

function identifierOf(token: string): string {
  return hashToken(`${PREFIX}:${token}`)
}

/** Leads to our page, unless the caller named another one: then the library's own link leads there. */
function linkTo(baseUrl: string, mailed: string, token: string): string {
  return new URL(mailed).searchParams.get('callbackURL') ? mailed : `${baseUrl}/reset/${token}`
}
