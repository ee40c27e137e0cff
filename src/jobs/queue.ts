import { sql } from 'drizzle-orm'

import type { Db } from '../db/client.ts'
import type { Job } from './define.ts'

export interface EnqueueOptions {
  runAt?: Date
  /** Replaces a pending job with the same key instead of adding another. */
  key?: string
  /** Jobs of one queue run one at a time; the job's own queue by default. */
  queue?: string
}

/** Called in a transaction, the job exists only if the transaction commits. */
export async function enqueue<Payload extends object>(
  db: Db,
  job: Job<Payload>,
  payload: Payload,
  options: EnqueueOptions = {},
): Promise<void> {
  await db.execute(sql`select graphile_worker.add_job(
    identifier => ${job.name},
    payload => ${JSON.stringify(payload)}::json,
    queue_name => ${options.queue ?? job.queue ?? null},
    run_at => ${options.runAt?.toISOString() ?? null}::timestamptz,
    max_attempts => ${job.maxAttempts ?? 12},
    job_key => ${options.key ?? null})`)
}

export interface QueueState {
  queued: number
  dead: { task: string; count: number; last_error: string | null }[]
}

/** A job is dead after its last attempt; it stays in the table until an operator deletes or repeats it. */
export async function readQueueState(db: Db): Promise<QueueState> {
  const dead = await db.execute<{ task: string; count: number; last_error: string | null }>(sql`
    select task_identifier as task, count(*)::int as count, (array_agg(last_error order by updated_at desc))[1] as last_error
    from graphile_worker.jobs where attempts >= max_attempts and locked_at is null group by task_identifier order by 1`)
  const [row] = await db.execute<{ queued: number }>(sql`
    select count(*)::int as queued from graphile_worker.jobs where attempts < max_attempts`)
  return { queued: row?.queued ?? 0, dead: [...dead] }
}
