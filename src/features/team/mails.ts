import { composeMail, type Recipient } from '../../clients/mail/compose.ts'
import type { MailMessage } from '../../clients/mail/mail.ts'
import { withoutLinks } from '../../lib/names.ts'

interface Invitation {
  listing: string
  owner: string
  link: string
}

export function inviteMail(to: Recipient, { listing, owner, link }: Invitation): MailMessage {
  return composeMail(to, 'You are invited to help run a listing', [
    `${owner} invites you to help run "${withoutLinks(listing)}". Open this page to accept or to decline:`,
    link,
    'If you do not know what this is about, ignore this mail: nothing changes until you accept.',
  ])
}
