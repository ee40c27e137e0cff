import { defineJob } from '../../jobs/define.ts'
import type { MailMessage } from './mail.ts'

export const sendMail = defineJob<MailMessage>('mail.send', {
  maxAttempts: 10,
  lane: 'mail',
  ownerOf: ({ to }) => to.toLowerCase(),
})
