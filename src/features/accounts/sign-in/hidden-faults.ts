import { AsyncLocalStorage } from 'node:async_hooks'

import { isDiskFullError } from '../../../db/errors.ts'
import type { Logger } from '../../../lib/log.ts'

const calls = new AsyncLocalStorage<{ fault?: unknown }>()

/** The library answers some faults of the database in its own words, and names them only in its log. */
export function libraryLog(log: Logger) {
  return (level: string, message: string, fault?: unknown): void => {
    const call = calls.getStore()
    if (call && isDiskFullError(fault)) call.fault = fault
    log[level === 'error' ? 'warn' : 'debug'](message, { component: 'accounts' })
  }
}

/** Throws what made the library fail for want of room, instead of its answer. */
export async function tellFault(ask: () => Promise<Response>): Promise<Response> {
  const call: { fault?: unknown } = {}
  const answer = await calls.run(call, ask)
  if (call.fault !== undefined && !answer.ok) throw call.fault
  return answer
}
