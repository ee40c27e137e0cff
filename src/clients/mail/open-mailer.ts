import { access, constants, mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { createTransport, type SendMailOptions } from 'nodemailer'

import type { MailSettings } from '../../domain/service-settings.ts'
import type { Logger } from '../../lib/log.ts'
import { type Mailer, MailFault, type MailMessage, senderOf } from './mail.ts'

/** Load this file only when a mail is sent: it loads the mail library. */
export function openMailer({ smtpUrl, from, folder }: MailSettings, log: Logger): Mailer {
  return smtpUrl === null ? openFolderMailer(folder, from, log) : openSmtpMailer(smtpUrl, from)
}

/** Writes every mail to an .eml file and logs it, so that Playshelf works without a mail server. */
export function openFolderMailer(folder: string, from: string, log: Logger): Mailer {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'unix' })
  return {
    kind: 'folder',
    async send(message) {
      const { to, subject, messageId } = message
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const mail = await transport.sendMail(addressMail(message, from))
      const path = join(folder, `${messageId}.eml`)
      await writeFile(`${path}.part`, mail.message, { mode: 0o600 })
      await rename(`${path}.part`, path)
      log.info('A mail was written to disk because SMTP_URL is not set', { to, subject, path })
    },
    async check() {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await access(folder, constants.W_OK)
    },
    async dispose() {},
  }
}

const TIMES = { connectionTimeout: 10_000, socketTimeout: 30_000 }
/** A connection stays open for the next mail: greeting, TLS and password take longer than a mail. */
const IDLE_MS = 5000

function openSmtpMailer(url: string, from: string): Mailer {
  const open = new Set<Line>()
  const idle: Line[] = []
  return {
    kind: 'smtp',
    async send(message) {
      const line = idle.pop() ?? openLine(url)
      open.add(line)
      try {
        await line.send(addressMail(message, from))
      } finally {
        idle.push(line)
      }
    },
    async check() {
      const transport = createTransport({ url, ...TIMES })
      await transport.verify().finally(() => transport.close())
    },
    async dispose() {
      for (const line of open) line.close()
    },
  }
}

interface Line {
  send(mail: SendMailOptions): Promise<void>
  close(): void
}

/** One connection, opened again when the server ends it, because the log of a transport does not say which mail a line is about. */
function openLine(url: string): Line {
  /** After this command a broken connection no longer tells whether the server has the mail. */
  let isHandedOver = false
  const ignore = () => undefined
  const look = (entry: unknown, ...words: unknown[]) => {
    const { tnx, action } = entry as { tnx?: unknown; action?: unknown }
    if (tnx === 'client' && words.some((word) => /^DATA\b/m.test(String(word)))) isHandedOver = true
    // The connection was found closed before anything of the mail was read, so another one is opened.
    if (tnx === 'pool' && action === 'requeue') isHandedOver = false
  }
  const logger = {
    level: ignore,
    trace: look,
    debug: look,
    info: ignore,
    warn: ignore,
    error: ignore,
    fatal: ignore,
  }
  const one = { pool: true, maxConnections: 1, idleTimeout: IDLE_MS } as const
  const transport = createTransport({ url, ...TIMES, ...one, transactionLog: true, logger })
  return {
    async send(mail) {
      isHandedOver = false
      await transport.sendMail(mail).catch((error: unknown) => {
        throw toMailFault(error, isHandedOver)
      })
    },
    close: () => transport.close(),
  }
}

interface SmtpError extends Error {
  responseCode?: number
  command?: string
}

/** What a recipient or a mail is refused by. A refused sender or password is a fault of the configuration. */
const OF_MAIL = new Set(['RCPT TO', 'DATA'])

function toMailFault(thrown: unknown, hasBegun: boolean): MailFault {
  const error: SmtpError = thrown instanceof Error ? thrown : new Error(String(thrown))
  const { responseCode: code, command = '' } = error
  if (code === undefined) return new MailFault(hasBegun ? 'unknown' : 'not_sent', error)
  return new MailFault(code >= 500 && OF_MAIL.has(command) ? 'bounced' : 'not_sent', error)
}

/** Quoted-printable keeps the text readable in the files of the folder. */
function addressMail(message: MailMessage, from: string) {
  const { to, subject, text, html, replyTo, messageId, fromName, unsubscribeUrl } = message
  return {
    to,
    subject,
    text,
    ...(html !== undefined && { html }),
    ...(replyTo !== undefined && { replyTo }),
    ...(unsubscribeUrl !== undefined && { headers: unsubscribeHeaders(unsubscribeUrl) }),
    textEncoding: 'quoted-printable' as const,
    from: senderOf(from, fromName),
    messageId: `<${messageId}@playshelf>`,
  }
}

/** For lists of mails: programs for mail show a button that ends them by one POST. */
function unsubscribeHeaders(url: string) {
  return { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }
}
