import { createUid } from '../../lib/ids.ts'
import { oneLine } from '../../lib/text/cut-text.ts'
import { withoutLinks } from '../../lib/text/names.ts'
import { toPrintable } from '../../lib/text/printable.ts'
import type { MailMessage } from './mail.ts'

export interface Recipient {
  email: string
  /** Omit it when the address may not belong to the person who chose the name. */
  name?: string
}

/** A plain-text mail: greeting, paragraphs, signature. */
export function composeMail(to: Recipient, subject: string, paragraphs: readonly string[]): MailMessage {
  return {
    to: to.email,
    subject: toPrintable(oneLine(subject)),
    text: `${greet(to)},\n\n${toPrintable(paragraphs.join('\n\n'))}\n\nPlayshelf\n`,
    messageId: createUid(),
  }
}

function greet({ name }: Recipient): string {
  return name === undefined ? 'Hello' : `Hello ${withoutLinks(name)}`
}
