import type { Db } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { sendMail } from '../../mail/jobs.ts'
import { mayMail } from '../email/mail-budget.ts'
import { deleteResetLink, deleteResetLinks } from '../email/pending-queries.ts'
import { passwordResetMail } from '../mails.ts'
import { hashToken } from '../oauth/oauth-rules.ts'

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
export async function sendResetLink({ rates }: Deps, db: Db, { user, url, token }: ResetLink): Promise<void> {
  const identifier = hashToken(`${PREFIX}:${token}`)
  if (!(await mayMail(rates, db, user.email))) {
    await deleteResetLink(db, identifier)
    return
  }
  await db.transaction(async (tx) => {
    await deleteResetLinks(tx, user.id, identifier)
    await enqueue(tx, sendMail, passwordResetMail(user, leadTo(url, '/reset')))
  })
}

/** Adds our page where the caller names none; the library would show an empty page. */
function leadTo(mailed: string, page: string): string {
  const link = new URL(mailed)
  if (!link.searchParams.get('callbackURL')) link.searchParams.set('callbackURL', page)
  return link.href
}
