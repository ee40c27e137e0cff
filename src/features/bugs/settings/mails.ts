import { composeMail, type Recipient } from '../../../clients/mail/compose.ts'
import type { MailMessage } from '../../../clients/mail/mail.ts'
import { withoutLinks } from '../../../lib/text/names.ts'

interface AskedWebhooks {
  listing: string
  /** The program, and the person it acts for. */
  askedBy: string
  link: string
  hours: number
}

/** Without the addresses themselves, which were chosen by the program: the page shows them. */
export function webhooksMail(to: Recipient, asked: AskedWebhooks): MailMessage {
  const { listing, askedBy, link, hours } = asked
  return composeMail(to, 'Approve new webhooks', [
    `A program (${withoutLinks(askedBy)}) wants to send the bug reports of "${withoutLinks(listing)}" to other servers. Open this page to see which, and to approve or reject it:`,
    link,
    `The link can be used once, within ${hours} hours. Nothing is sent there until you approve.`,
  ])
}
