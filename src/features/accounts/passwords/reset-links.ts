import type { Db } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { hashToken } from '../../../lib/bytes/hash.ts'
import { sendMail } from '../../mail/jobs.ts'
import { mayMail } from '../email/mail-budget.ts'
import { deleteResetLink, deleteResetLinks, hasResetLink } from '../email/pending-queries.ts'
import { passwordResetMail } from '../mails.ts'

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
  const identifier = identify(token)
  if (!(await mayMail(rates, db, user.email))) {
    await deleteResetLink(db, identifier)
    return
  }
  await db.transaction(async (tx) => {
    await deleteResetLinks(tx, user.id, identifier)
    await enqueue(tx, sendMail, passwordResetMail(user, linkTo(config.baseUrl, url, token)))
  })
}

/** Whether a new password can be set with it. */
export async function isResetLink(db: Db, token: string): Promise<boolean> {
  return await hasResetLink(db, identify(token), new Date())
}

function identify(token: string): string {
  return hashToken(`${PREFIX}:${token}`)
}

/** Leads to our page, unless the caller named another one: then the library's own link leads there. */
function linkTo(baseUrl: string, mailed: string, token: string): string {
  return new URL(mailed).searchParams.get('callbackURL') ? mailed : `${baseUrl}/reset/${token}`
}
