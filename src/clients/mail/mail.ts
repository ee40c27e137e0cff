export interface MailMessage {
  to: string
  subject: string
  text: string
  /** A retry must reuse the id, so that receivers recognise the duplicate. */
  messageId: string
  /** For an address of MAIL_FROM that has no name of its own. */
  fromName?: string
  /** Where an answer goes; without it nobody reads one. */
  replyTo?: string
}

/** The sender that a mail names. */
export function senderOf(from: string, name: string | undefined): string | { name: string; address: string } {
  return from.includes('<') || name === undefined ? from : { name, address: from }
}

export interface Mailer {
  readonly kind: 'smtp' | 'folder'
  send(message: MailMessage): Promise<void>
  /** Throws an error whose message says what to do. */
  check(): Promise<void>
  dispose(): Promise<void>
}

export interface MailSettings {
  smtpUrl: string | null
  from: string
  /** Where mails are written without an SMTP server. */
  folder: string
}
