import type { MailMessage } from '../../clients/mail/mail.ts'
import { createUid } from '../../lib/ids.ts'

interface Recipient {
  email: string
  name: string
}

export function verificationMail(to: Recipient, link: string): MailMessage {
  return compose(to, 'Confirm your e-mail address', [
    'welcome to Playshelf. Open this link to confirm that this address is yours:',
    link,
    'Uploading builds and publishing pages need a confirmed address. The link is valid for one hour.',
    'If you did not sign up, ignore this mail.',
  ])
}

export function passwordResetMail(to: Recipient, link: string): MailMessage {
  return compose(to, 'Set a new password', [
    'someone, probably you, asked for a new password. Open this link to set one:',
    link,
    'The link is valid for one hour. If it was not you, ignore this mail: nothing changes.',
  ])
}

function compose(to: Recipient, subject: string, paragraphs: readonly string[]): MailMessage {
  return {
    to: to.email,
    subject,
    text: `Hello ${to.name},\n\n${paragraphs.join('\n\n')}\n\nPlayshelf\n`,
    messageId: createUid(),
  }
}
