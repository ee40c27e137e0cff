import { handleJob } from '../../jobs/handler.ts'
import { sendMail } from './jobs.ts'

export const mailHandlers = [
  handleJob(sendMail, async (deps, message) => {
    const mailer = await deps.mailer()
    await mailer.send(message)
  }),
]
