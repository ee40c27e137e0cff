import { createTransport } from 'nodemailer'

import type { Mailer } from './mail.ts'

export function openSmtpMailer(url: string, from: string): Mailer {
  const transport = createTransport({ url, connectionTimeout: 10_000, socketTimeout: 30_000 }, { from })
  return {
    kind: 'smtp',
    async send({ to, subject, text, messageId }) {
      await transport.sendMail({ to, subject, text, messageId: `<${messageId}@playshelf>` })
    },
    async check() {
      await transport.verify()
    },
    async dispose() {
      transport.close()
    },
  }
}
