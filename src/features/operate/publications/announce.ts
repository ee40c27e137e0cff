import { composeMail } from '../../../clients/mail/compose.ts'
import type { MailMessage } from '../../../clients/mail/mail.ts'
import { addLastingCount } from '../../../db/rate-counts.ts'
import type { Deps } from '../../../deps.ts'
import { queueUrl } from '../../../domain/site-urls.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { readPage } from '../../../lib/paging.ts'
import { NAME_MAX, showName } from '../../../lib/text/names.ts'
import { plural } from '../../../lib/text/plural.ts'
import { listOperatorAddresses } from '../../accounts/operators.ts'
import { announceWaiting } from '../../listings/page/jobs.ts'
import { sendMail } from '../../mail/jobs.ts'
import type { WaitingPublication } from './model.ts'
import { listWaiting } from './service.ts'

/** Operators get at most one mail in this time: publications that come meanwhile share the next one. */
const PAUSE_MS = 60 * 60 * 1000
const LISTED_MAX = 20

/** Mails every operator what waits, or comes back when the pause after the last mail is over. */
export async function announcePublications({ config, db }: Deps): Promise<void> {
  await db.transaction(async (tx) => {
    const { items, total } = await listWaiting(tx, readPage({ page_size: String(LISTED_MAX) }))
    if (total === 0) return
    const { count, resetMs } = await addLastingCount(tx, 'waiting_publications', PAUSE_MS)
    if (count > 1) {
      const runAt = new Date(Date.now() + Math.max(0, resetMs))
      return await enqueue(tx, announceWaiting, {}, { key: announceWaiting.name, runAt })
    }
    for (const email of await listOperatorAddresses(config, tx))
      await enqueue(tx, sendMail, waitingMail(email, items, total, queueUrl(config.baseUrl)))
  })
}

function waitingMail(
  email: string,
  waiting: readonly WaitingPublication[],
  total: number,
  queue: string,
): MailMessage {
  const listed = waiting.map(({ name, owner }) => `- ${showName(name, NAME_MAX)}, by ${owner.username}`)
  const more = total > listed.length ? [`- and ${total - listed.length} more`] : []
  const subject = total === 1 ? 'A page waits' : plural(total, 'page waits', 'pages wait')
  return composeMail({ email }, `${subject} for your approval`, [
    `Developers asked to publish their first page in this store. Approve or decline here: ${queue}`,
    `${total === 1 ? 'This one waits' : 'These wait, the oldest first'}:\n${[...listed, ...more].join('\n')}`,
    'Publications that are asked for within the next hour are told in one mail.',
  ])
}
