import type { MailMessage } from '../../clients/mail/mail.ts'
import { defineJob } from '../../jobs/define.ts'

export const sendMail = defineJob<MailMessage>('mail.send', {
  maxAttempts: 10,
  lane: 'mail',
  ownerOf: ({ to }) => to.toLowerCase(),
})
