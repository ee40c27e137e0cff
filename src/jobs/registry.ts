import { sweepCredentials } from '../features/accounts/jobs.ts'
import { accountHandlers } from '../features/accounts/worker.ts'
import { sendMail } from '../features/mail/jobs.ts'
import { mailHandlers } from '../features/mail/worker.ts'
import type { Job } from './define.ts'
import { type BoundHandler, checkHandlers } from './handler.ts'

const JOBS: readonly Job<object>[] = [sendMail, sweepCredentials]
const HANDLERS: readonly BoundHandler[] = [...mailHandlers, ...accountHandlers]

/** All jobs with who does them; throws when the two lists do not fit. */
export function loadHandlers(): readonly BoundHandler[] {
  checkHandlers(JOBS, HANDLERS)
  return HANDLERS
}
