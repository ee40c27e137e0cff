import { AsyncLocalStorage } from 'node:async_hooks'

import { isDiskFullError, isForeignKeyViolation, isUniqueViolation } from '../../../db/errors.ts'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../errors.ts'
import type { Logger } from '../../../lib/log.ts'

/**
 * The fault behind an answer: the library replaces some database errors by its own text and only logs them.
 */
const calls = new AsyncLocalStorage<{ fault?: unknown }>()

export function libraryLog(log: Logger) {
  return (level: string, message: string, fault?: unknown): void => {
    const call = calls.getStore()
    if (call && isDiskFullError(fault)) call.fault = fault
    log[level === 'error' ? 'warn' : 'debug'](message, { component: 'accounts' })
  }
}

/** Asks the account library. Refusals are returned as they are, failures thrown as our errors. */
export async function askLibrary(deps: Deps, ask: () => Promise<Response>): Promise<Response> {
  const call: { fault?: unknown } = {}
  const answer = await calls.run(call, ask).catch(explainConflict)
  if (call.fault !== undefined && !answer.ok) throw call.fault
  if (await isNotStored(answer)) {
    throw new AppError('service_down', { message: 'The account could not be stored. Try again.' })
  }
  if (answer.status < 500) return answer
  // The library answers 500 in its own format, also when the database is down: check that first.
  await deps.database.check()
  throw new AppError('internal', { cause: new Error(`The account routes returned ${answer.status}`) })
}

/** Explains a conflict that the library's own checks missed, because two requests ran at the same time. */
function explainConflict(error: unknown): Response {
  if (isForeignKeyViolation(error)) {
    const error_description = 'The access of this program has ended. Authorize it again.'
    return Response.json({ error: 'invalid_grant', error_description }, { status: 400 })
  }
  if (isUniqueViolation(error)) {
    throw new AppError('taken', {
      message: 'The same request was sent twice at once. Try again.',
      cause: error,
    })
  }
  throw error
}

/** The library's answer to every fault of the database while it stores an account. */
async function isNotStored(answer: Response): Promise<boolean> {
  return answer.status === 422 && (await answer.clone().text()).includes('"FAILED_TO_CREATE_USER"')
}
