import { createUid } from '../../lib/ids.ts'
import type { MailMessage } from './mail.ts'

export interface Recipient {
  email: string
  name: string
}

/** A plain letter: greeting, paragraphs, signature. */
export function composeMail(to: Recipient, subject: string, paragraphs: readonly string[]): MailMessage {
  return {
    to: to.email,
    subject,
    text: `Hello ${to.name},\n\n${paragraphs.join('\n\n')}\n\nPlayshelf\n`,
    messageId: createUid(),
  }
}
