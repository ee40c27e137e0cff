import { sql } from 'drizzle-orm'

import { defineJob } from '../../src/jobs/define.ts'
import type { TestServer } from './server.ts'

/** Sleeps on its first attempt only, and records its calls. */
export const sleepyJob = defineJob<{ file: string; sleepMs: number }>('test.sleepy', { maxAttempts: 5 })

export const failingJob = defineJob<{ reason: string }>('test.failing', { maxAttempts: 1 })

export const flakyJob = defineJob<{ id: string }>('test.flaky', { maxAttempts: 5 })

type Database = Pick<TestServer, 'deps'>

/** Makes waiting jobs of this task run the next time a worker looks for jobs. */
export async function makeDue({ deps }: Database, { name }: { name: string }): Promise<void> {
  const ids = sql`array(select id from graphile_worker.jobs where task_identifier = ${name})`
  await deps.db.execute(sql`select graphile_worker.reschedule_jobs(${ids}, run_at => now())`)
}

/**
 * As if killed processes had taken their jobs earlier: the next runner releases those at once, and not after some
 * seconds. Jobs of living runners stay theirs.
 */
export async function ageLocks({ deps }: Database): Promise<void> {
  await deps.db.execute(sql`
    update graphile_worker._private_jobs set locked_at = locked_at - interval '1 minute',
      updated_at = updated_at - interval '1 minute', created_at = created_at - interval '1 minute'
    where locked_at is not null`)
}

/** Records that this cron job has run for the next day, so that it does not start during a test. */
export async function pauseCron({ deps }: Database, { name }: { name: string }): Promise<void> {
  await deps.db.execute(sql`
    insert into graphile_worker._private_known_crontabs (identifier, known_since, last_execution)
    values (${name}, now(), now() + interval '1 day')
    on conflict (identifier) do update set last_execution = excluded.last_execution`)
}
