import { access, constants, mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { createTransport } from 'nodemailer'

import type { MailSettings } from '../../domain/service-settings.ts'
import type { Logger } from '../../lib/log.ts'
import { type Mailer, type MailMessage, senderOf } from './mail.ts'

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

function openSmtpMailer(url: string, from: string): Mailer {
  const transport = createTransport({ url, connectionTimeout: 10_000, socketTimeout: 30_000 })
  return {
    kind: 'smtp',
    async send(message) {
      await transport.sendMail(addressMail(message, from))
    },
    async check() {
      await transport.verify()
    },
    async dispose() {
      transport.close()
    },
  }
}

/** Quoted-printable keeps the text readable in the files of the folder. */
function addressMail({ messageId, fromName, button: _, ...mail }: MailMessage, from: string) {
  return {
    ...mail,
    textEncoding: 'quoted-printable' as const,
    from: senderOf(from, fromName),
    messageId: `<${messageId}@playshelf>`,
  }
}
