import type { RateStore } from '../../../clients/rate-store/rate-store.ts'
import type { Db } from '../../../db/client.ts'
import { addLastingCount } from '../../../db/rate-counts.ts'
import { LIMITS } from '../../../domain/limit-table.ts'
import { sha256Hex } from '../../../lib/bytes/hash.ts'

const { account_mails: HOUR, account_mails_daily: DAY } = LIMITS

/** Whether another link may be mailed to this mailbox. `db` is the library's transaction while it has one open. */
export async function mayMail(rates: RateStore, db: Db, email: string): Promise<boolean> {
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
 * After the day's share one mail an hour still goes out: its link is valid that long, so nobody can use up the mails that
 * the owner needs for a new password.
 */
export function isWithinBudget(thisHour: number, today: number): boolean {
  return thisHour <= (today <= DAY.max ? HOUR.max : 1)
}

/** Many providers deliver `name+anything@…` to one mailbox. */
export function mailboxOf(email: string): string {
  const [local = '', ...domain] = email.trim().toLowerCase().split('@')
  return [local.replace(/(?<=.)\+.*$/, ''), ...domain].join('@')
}
