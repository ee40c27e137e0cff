import { withTimeout } from '../../lib/flow/with-timeout.ts'
import type { Logger } from '../../lib/log.ts'
import type { DatabaseHandle } from '../client.ts'
import { openSession } from './sessions.ts'

interface PoolWatch {
  /** New connections to the database work, but no pooled one responds: only a restart helps. */
  isStuck(): boolean
  stop(): void
}

export interface WatchTimes {
  beatMs: number
  stuckAfterMs: number
}

/** Statements time out after 30 seconds, so a pool that is merely slow completes one within 45. */
const TIMES: WatchTimes = { beatMs: 5000, stuckAfterMs: 45_000 }

/**
 * Sends a small statement through the pool every few seconds. The pool counts as stuck only if a new
 * connection works: restarting every process while the database is down would make things worse.
 */
export function watchPool(
  database: Pick<DatabaseHandle, 'check' | 'answered'>,
  url: string,
  log: Logger,
  times: Partial<WatchTimes> = {},
): PoolWatch {
  const { beatMs, stuckAfterMs } = { ...TIMES, ...times }
  let isStuck = false
  let isStopped = false
  let known = database.answered()
  let lastAnswer = performance.now()
  let timer = schedule()

  function schedule() {
    return setTimeout(() => {
      void beat().finally(() => {
        if (!isStopped) timer = schedule()
      })
    }, beatMs).unref()
  }

  async function beat(): Promise<void> {
    const isAnswered = await settlesWithin(database.check(), beatMs)
    if (isAnswered || database.answered() > known) {
      known = database.answered()
      lastAnswer = performance.now()
      isStuck = false
      return
    }
    if (performance.now() - lastAnswer < stuckAfterMs) return
    const wasStuck = isStuck
    isStuck = await settlesWithin(checkDirectly(url), beatMs)
    if (isStuck && !wasStuck) {
      log.error('The database answers, but no pooled connection of this process does: /health reports it')
    }
  }

  return {
    isStuck: () => isStuck,
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}

async function checkDirectly(url: string): Promise<void> {
  const client = openSession(url, 'watch')
  try {
    await client`select 1`
  } finally {
    await client.end({ timeout: 1 })
  }
}

async function settlesWithin(work: Promise<void>, ms: number): Promise<boolean> {
  return await withTimeout(ms, work).then(
    () => true,
    () => false,
  )
}
