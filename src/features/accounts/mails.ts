import { composeMail, type Recipient } from '../../clients/mail/compose.ts'
import type { MailMessage } from '../../clients/mail/mail.ts'

export function verificationMail(to: Recipient, link: string): MailMessage {
  return composeMail(to, 'Confirm your e-mail address', [
    'welcome to Playshelf. Open this link to confirm that this address is yours:',
    link,
    'Uploading builds and publishing pages need a confirmed address. The link is valid for one hour.',
    'If you did not sign up, ignore this mail.',
  ])
}

export function passwordResetMail(to: Recipient, link: string): MailMessage {
  return composeMail(to, 'Set a new password', [
    'someone, probably you, asked for a new password. Open this link to set one:',
    link,
    'The link is valid for one hour. If it was not you, ignore this mail: nothing changes.',
  ])
}
