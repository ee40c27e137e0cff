import type postgres from 'postgres'

import { LOCKS } from '../db/locks/locks.ts'
import { openSession, reconnectPause } from '../db/pool/sessions.ts'
import type { Logger } from '../lib/log.ts'

const HEARTBEAT_MS = 1000
const REAP_AFTER = '5 seconds'

interface Liveness {
  /** Registers a name under which this process locks jobs. */
  register(runner: string): void
  /** Lets other runners take the jobs that are still locked under the name. */
  unregister(runner: string): void
  stop(): Promise<void>
}

/**
 * Every runner holds an advisory lock for the life of its database session. Jobs of runners whose lock is gone, such
 * as a killed process, are released here; the queue itself would wait four hours.
 */
export function startLiveness(databaseUrl: string, log: Logger): Liveness {
  const runners = new Set<string>()
  const held = new Set<string>()
  // One connection, and not a reserved one: the driver crashes when a reserved one was lost and is used again.
  const client = openSession(databaseUrl, 'jobs', {
    backoff: reconnectPause,
    onclose: () => held.clear(),
  })
  let stopping = false
  let wake: () => void = () => undefined

  async function beat(): Promise<void> {
    for (const name of runners.difference(held)) {
      await client`select pg_advisory_lock_shared(${LOCKS.jobRunner}, hashtext(${name}))`
      held.add(name)
    }
    for (const name of held.difference(runners)) {
      await client`select pg_advisory_unlock_shared(${LOCKS.jobRunner}, hashtext(${name}))`
      held.delete(name)
    }
    await releaseOrphanedJobs(client, log)
  }

  const done = (async () => {
    while (!stopping) {
      await beat().catch((error: unknown) => {
        log.warn('The job runner lost its database session and opens a new one', { error })
      })
      await Promise.race([Bun.sleep(HEARTBEAT_MS), new Promise<void>((resolve) => (wake = resolve))])
    }
  })()

  return {
    register(runner) {
      runners.add(runner)
      wake()
    },
    unregister: (runner) => void runners.delete(runner),
    async stop() {
      stopping = true
      wake()
      await done
      await client.end({ timeout: 2 })
    },
  }
}

async function releaseOrphanedJobs(client: postgres.Sql, log: Logger): Promise<void> {
  const orphaned = await client<{ locked_by: string }[]>`
    select distinct locked_by from graphile_worker.jobs
    where locked_at < now() - ${REAP_AFTER}::interval and not exists (
      select 1 from pg_locks
      where locktype = 'advisory' and classid = ${LOCKS.jobRunner} and objid = hashtext(locked_by)::oid and granted)`
  if (orphaned.length === 0) return
  const ids = orphaned.map((row) => row.locked_by)
  const replaced = await listReplaced(client, ids)
  await client`select graphile_worker.force_unlock_workers(${ids})`
  if (replaced.length > 0) await client`select graphile_worker.complete_jobs(${replaced})`
  log.warn('Released the jobs of a runner that died', { runners: ids.length })
}

/**
 * Jobs that were replaced while they ran: adding a job with the key of a running one takes that job's key and
 * all attempts, so it would stay as dead. Nothing else updates a locked job, or one that never failed. The
 * time of an update is when its transaction began, which may be before the lock.
 */
async function listReplaced(client: postgres.Sql, lockedBy: readonly string[]): Promise<string[]> {
  const rows = await client<{ id: string }[]>`
    select id from graphile_worker.jobs
    where locked_by = any(${[...lockedBy]}) and key is null and attempts >= max_attempts
      and (updated_at > locked_at or (last_error is null and updated_at <> created_at))`
  return rows.map(({ id }) => id)
}
