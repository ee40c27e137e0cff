import postgres from 'postgres'

import { LOCKS } from '../db/locks.ts'
import type { Logger } from '../lib/log.ts'

const HEARTBEAT_MS = 1000
const REAP_AFTER = '5 seconds'

export interface Liveness {
  /** Registers a name under which this process locks jobs. */
  register(runner: string): void
  stop(): Promise<void>
}

/**
 * Every runner holds an advisory lock for the life of its database session. Jobs of runners whose lock is gone, such
 * as a killed process, are released here; the queue itself would wait four hours.
 */
export function startLiveness(databaseUrl: string, log: Logger): Liveness {
  const client = postgres(databaseUrl, {
    max: 1,
    onnotice: () => undefined,
    connection: { application_name: 'playshelf jobs' },
  })
  const runners = new Set<string>()
  let stopping = false
  let wake: () => void = () => undefined

  async function beat(): Promise<void> {
    const session = await client.reserve()
    const held = new Set<string>()
    try {
      while (!stopping) {
        for (const name of runners.difference(held)) {
          await session`select pg_advisory_lock_shared(${LOCKS.jobRunner}, hashtext(${name}))`
          held.add(name)
        }
        await releaseOrphanedJobs(session, log)
        await Promise.race([Bun.sleep(HEARTBEAT_MS), new Promise<void>((resolve) => (wake = resolve))])
      }
    } finally {
      session.release()
    }
  }

  const done = (async () => {
    while (!stopping) {
      await beat().catch(async (error: unknown) => {
        log.warn('The job runner lost its database session and opens a new one', { error })
        await Bun.sleep(HEARTBEAT_MS)
      })
    }
  })()

  return {
    register(runner) {
      runners.add(runner)
      wake()
    },
    async stop() {
      stopping = true
      wake()
      await done
      await client.end({ timeout: 2 })
    },
  }
}

async function releaseOrphanedJobs(session: postgres.ReservedSql, log: Logger): Promise<void> {
  const orphaned = await session<{ locked_by: string }[]>`
    select distinct locked_by from graphile_worker.jobs
    where locked_at < now() - ${REAP_AFTER}::interval and not exists (
      select 1 from pg_locks
      where locktype = 'advisory' and classid = ${LOCKS.jobRunner} and objid = hashtext(locked_by)::oid and granted)`
  if (orphaned.length === 0) return
  const ids = orphaned.map((row) => row.locked_by)
  await session`select graphile_worker.force_unlock_workers(${ids})`
  log.warn('Released the jobs of a runner that died', { runners: ids.length })
}
