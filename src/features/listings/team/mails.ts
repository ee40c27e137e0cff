import { composeMail, type Recipient } from '../../../clients/mail/compose.ts'
import type { MailMessage } from '../../../clients/mail/mail.ts'
import { withoutLinks } from '../../../lib/text/names.ts'

interface Invitation {
  listing: string
  owner: string
  link: string
}

export function inviteMail(to: Recipient, { listing, owner, link }: Invitation): MailMessage {
  return composeMail(to, 'You are invited to help run a listing', [
    `${owner} invites you to help run "${withoutLinks(listing)}". Open this page to accept or decline the invite:`,
    link,
    'If you do not expect this invite, ignore this mail. Nothing changes until you accept.',
  ])
}
