export interface MailMessage {
  to: string
  subject: string
  text: string
  /** The same message again must not be sent twice under another id. */
  messageId: string
}

export interface Mailer {
  readonly kind: 'smtp' | 'folder'
  send(message: MailMessage): Promise<void>
  /** Throws with a sentence that says what to do. */
  check(): Promise<void>
  dispose(): Promise<void>
}

export interface MailSettings {
  smtpUrl: string | null
  from: string
  /** Where mails go without an SMTP server. */
  folder: string
}
