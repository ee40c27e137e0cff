import { signMail } from '../../clients/mail/compose.ts'
import { handleJob } from '../../jobs/handler.ts'
import { loadSettings } from '../settings/service.ts'
import { sendMail } from './jobs.ts'

export const mailHandlers = [
  handleJob(sendMail, async (deps, message) => {
    const [mailer, { settings }] = await Promise.all([deps.mailer(), loadSettings(deps, deps.db)])
    await mailer.send(signMail(message, settings))
  }),
]
