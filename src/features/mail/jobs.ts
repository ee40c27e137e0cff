import type { MailMessage } from '../../clients/mail/mail.ts'
import { defineJob } from '../../jobs/define.ts'

export const sendMail = defineJob<MailMessage>(
  'mail.send',
  {
    maxAttempts: 10,
    lane: 'mail',
    ownerOf: ({ to }) => to.toLowerCase(),
  },
  async (deps, message) => {
    const { loadSettings } = await import('../settings/service.ts')
    const { signMail } = await import('../../clients/mail/mail.ts')
    const { mailStore } = await import('./store.ts')
    const [mailer, known] = await Promise.all([deps.mailer(), loadSettings(deps, deps.db)])
    await mailer.send(signMail(message, mailStore(deps.config.baseUrl, known)))
  },
)
