import type { MailMessage } from '../../../clients/mail/mail.ts'
import type { Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import { listingUrl } from '../../../domain/site-urls.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { sendMail } from '../../mail/jobs.ts'
import type { MailedPage } from './mails.ts'
import { findOwnerAddress, type GameRow } from './queries.ts'

/** Sent once the transaction commits. */
export async function mailOwner(
  { config }: Pick<Deps, 'config'>,
  tx: Transaction,
  { uid, vanityName }: GameRow,
  compose: (page: MailedPage) => MailMessage,
): Promise<void> {
  const owner = await findOwnerAddress(tx, uid)
  if (owner) await enqueue(tx, sendMail, compose({ ...owner, url: listingUrl(config.baseUrl, vanityName) }))
}
