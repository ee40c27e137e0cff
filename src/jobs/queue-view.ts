import { sql } from 'drizzle-orm'

import type { Db } from '../db/client.ts'
import type { Page } from '../lib/paging.ts'

type TaskState = { task: string; waiting: number; running: number; failed: number }

/** The queue by task; `failed` are those after their last attempt. */
export async function listTaskStates(db: Db): Promise<TaskState[]> {
  return await db.execute<TaskState>(sql`
    select task_identifier as task,
      count(*) filter (where locked_at is null and attempts < max_attempts)::int as waiting,
      count(*) filter (where locked_at is not null)::int as running,
      count(*) filter (where locked_at is null and attempts >= max_attempts)::int as failed
    from graphile_worker.jobs group by 1 order by 1`)
}

export const JOB_STATES = ['failed', 'waiting', 'running'] as const
export type JobState = (typeof JOB_STATES)[number]

type QueuedJob = {
  id: string
  task: string
  attempts: number
  maxAttempts: number
  lastError: string | null
  createdAt: Date
  runAt: Date
}

const IN_STATE = {
  failed: sql`locked_at is null and attempts >= max_attempts`,
  waiting: sql`locked_at is null and attempts < max_attempts`,
  running: sql`locked_at is not null`,
} as const satisfies Record<JobState, unknown>

/** The newest first. */
export async function listJobs(
  db: Db,
  state: JobState,
  { page_size, offset }: Page,
): Promise<{ jobs: QueuedJob[]; total: number }> {
  const rows = await db.execute<
    Omit<QueuedJob, 'createdAt' | 'runAt'> & { created: string; run: string }
  >(sql`
    select id::text, task_identifier as task, attempts, max_attempts as "maxAttempts", last_error as "lastError",
      created_at as created, run_at as run
    from graphile_worker.jobs where ${IN_STATE[state]}
    order by updated_at desc, id desc limit ${page_size} offset ${offset}`)
  const [count] = await db.execute<{ total: number }>(
    sql`select count(*)::int as total from graphile_worker.jobs where ${IN_STATE[state]}`,
  )
  const jobs = rows.map(({ created, run, ...job }) => ({
    ...job,
    createdAt: new Date(created),
    runAt: new Date(run),
  }))
  return { jobs, total: count?.total ?? 0 }
}

/** Runs a failed job again from its first attempt, or a waiting one now. Returns its task; null without such a job. */
export async function retryJob(db: Db, id: string): Promise<string | null> {
  const [row] = await db.execute<{ task: string }>(sql`
    select task_identifier as task from graphile_worker.jobs where id = ${id}::bigint and locked_at is null`)
  if (!row) return null
  await db.execute(
    sql`select graphile_worker.reschedule_jobs(array[${id}::bigint], run_at => now(), attempts => 0)`,
  )
  return row.task
}
