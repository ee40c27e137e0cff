import { createUid } from '../../lib/ids.ts'
import { oneLine, toPrintable } from '../../lib/text/characters.ts'
import { isEmail, withoutLinks } from '../../lib/text/names.ts'
import { type MailButton, type MailStore, renderMail } from './mail-html.ts'
import { type MailNews, newsParagraphs } from './mail-news.ts'

export interface MailMessage {
  to: string
  subject: string
  text: string
  button?: MailButton
  /** Shown in HTML instead of the paragraphs after the first; the text says the same. */
  news?: MailNews
  /** Ends mails like this one by a POST without a session (RFC 8058). */
  unsubscribeUrl?: string
  /** Made from the text when it is sent. */
  html?: string
  /** A retry must reuse the id, so that receivers recognise the duplicate. */
  messageId: string
  /** For an address of MAIL_FROM that has no name of its own. */
  fromName?: string
  /** The address for replies; without it nobody reads them. */
  replyTo?: string
}

/** The sender that a mail names. */
export function senderOf(from: string, name: string | undefined): string | { name: string; address: string } {
  return from.includes('<') || name === undefined ? from : { name, address: from }
}

/**
 * Why a mail was not sent. `bounced`: the server refused this recipient or this mail for good. `not_sent`: it may be tried
 * again. `unknown`: the connection broke after the mail was handed over, so the server may have it.
 */
export class MailFault extends Error {
  override name = 'MailFault'

  constructor(
    readonly outcome: 'bounced' | 'not_sent' | 'unknown',
    cause: Error,
  ) {
    super(cause.message, { cause })
  }
}

export interface Mailer {
  readonly kind: 'smtp' | 'folder'
  /** Throws a `MailFault` when a mail server was asked. */
  send(message: MailMessage): Promise<void>
  /** Throws an error whose message says what to do. */
  check(): Promise<void>
  dispose(): Promise<void>
}

/** Stands for the name of the store, which a mail gets when it is sent. */
export const STORE_NAME = '\uE000'

/** Stands for how to reach the operators: "To object, …". Its paragraph is left out if the store has no contact. */
export const REACH_OPERATORS = '\uE001'

export interface Recipient {
  email: string
  /** Omit it when the address may not belong to the person who chose the name. */
  name?: string
}

/** Greeting, paragraphs, signature. A paragraph of the text names the address of the button. */
export function composeMail(
  to: Recipient,
  subject: string,
  paragraphs: readonly string[],
  button?: MailButton,
): MailMessage {
  return {
    to: to.email,
    subject: toPrintable(oneLine(subject)),
    text: `${greet(to)},\n\n${toPrintable(paragraphs.join('\n\n'))}\n\n${STORE_NAME}\n`,
    messageId: createUid(),
    ...(button && { button }),
  }
}

/** Greeting, one paragraph, the news, signature. */
export function composeNewsMail(
  to: Recipient,
  subject: string,
  intro: string,
  news: MailNews,
  button: MailButton,
): MailMessage {
  return { ...composeMail(to, subject, [intro, ...newsParagraphs(news, button)], button), news }
}

/** Names the store, and signs with where it can be reached. Answers go there if it is an e-mail address. */
export function signMail(message: MailMessage, store: MailStore): MailMessage {
  const signed = signText(message, store)
  return { ...signed, html: renderMail(signed, store) }
}

function signText(message: MailMessage, { name, contact }: MailStore): MailMessage {
  const text = message.text.replaceAll(STORE_NAME, name)
  const named = { ...message, fromName: name, subject: message.subject.replaceAll(STORE_NAME, name) }
  if (contact === null) {
    const paragraphs = text.split('\n\n').filter((paragraph) => !paragraph.includes(REACH_OPERATORS))
    return { ...named, text: paragraphs.join('\n\n') }
  }
  const canAnswer = isEmail(contact)
  const reach = canAnswer ? 'answer this mail' : `write to us at ${contact}`
  return {
    ...named,
    text: `${text.replaceAll(REACH_OPERATORS, reach)}${contact}\n`,
    ...(canAnswer && { replyTo: contact }),
  }
}

function greet({ name }: Recipient): string {
  return name === undefined ? 'Hello' : `Hello ${withoutLinks(name)}`
}
