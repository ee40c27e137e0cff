import { createTransport } from 'nodemailer'

import { type Mailer, senderOf } from './mail.ts'

export function openSmtpMailer(url: string, from: string): Mailer {
  const transport = createTransport({ url, connectionTimeout: 10_000, socketTimeout: 30_000 })
  return {
    kind: 'smtp',
    async send({ to, subject, text, messageId, fromName, replyTo }) {
      const sender = senderOf(from, fromName)
      await transport.sendMail({
        from: sender,
        to,
        replyTo,
        subject,
        text,
        messageId: `<${messageId}@playshelf>`,
      })
    },
    async check() {
      await transport.verify()
    },
    async dispose() {
      transport.close()
    },
  }
}
