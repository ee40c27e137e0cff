import { createUid } from '../../lib/ids.ts'
import { oneLine } from '../../lib/text/cut-text.ts'
import { withoutLinks } from '../../lib/text/names.ts'
import { toPrintable } from '../../lib/text/printable.ts'
import type { MailMessage } from './mail.ts'

/** Stands for the name of the store, which a mail gets when it is sent. */
export const STORE_NAME = '\uE000'

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
    text: `${greet(to)},\n\n${toPrintable(paragraphs.join('\n\n'))}\n\n${STORE_NAME}\n`,
    messageId: createUid(),
  }
}

/** Names the store, and signs with where it can be reached. */
export function signMail(message: MailMessage, store: { name: string; contact: string | null }): MailMessage {
  const { subject, text } = message
  return {
    ...message,
    fromName: store.name,
    subject: subject.replaceAll(STORE_NAME, store.name),
    text: text.replaceAll(STORE_NAME, store.name) + (store.contact === null ? '' : `${store.contact}\n`),
  }
}

function greet({ name }: Recipient): string {
  return name === undefined ? 'Hello' : `Hello ${withoutLinks(name)}`
}
