import { access, constants, mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { createTransport } from 'nodemailer'

import type { Logger } from '../../lib/log.ts'
import { type Mailer, senderOf } from './mail.ts'

/** Writes every mail to an .eml file and logs it, so that Playshelf works without a mail server. */
export function openFolderMailer(folder: string, from: string, log: Logger): Mailer {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'unix' })
  return {
    kind: 'folder',
    async send({ to, subject, text, messageId, fromName, replyTo }) {
      const sender = senderOf(from, fromName)
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const mail = await transport.sendMail({
        from: sender,
        to,
        replyTo,
        subject,
        text,
        messageId: `<${messageId}@playshelf>`,
      })
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
