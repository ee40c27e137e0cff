import { type SQL, sql } from 'drizzle-orm'

import type { Db, Transaction } from '../db/client.ts'
import { type Job, laneOf } from './define.ts'
import { ownerFlag } from './limits.ts'

/** The column is a smallint. */
const PRIORITY_MAX = 32_000

interface EnqueueOptions {
  runAt?: Date
  /** Replaces a pending job with the same key instead of adding another. */
  key?: string
  /** A pending job with the same key keeps its time. */
  keepsRunAt?: boolean
  /** Jobs of one queue run one at a time; the job's own queue by default. */
  queue?: string
}

/** Announces the lane that has a new job. */
export const JOB_ADDED = 'job_added'

/** Called in a transaction, the job exists only if the transaction commits. */
export async function enqueue<Payload extends object>(
  db: Db,
  job: Job<Payload>,
  payload: Payload,
  options: EnqueueOptions = {},
): Promise<void> {
  const owner = job.ownerOf?.(payload)
  const flag = owner === undefined ? null : ownerFlag(owner)
  await db.execute(sql`select graphile_worker.add_job(
    identifier => ${job.name},
    payload => ${JSON.stringify(payload)}::json,
    queue_name => ${options.queue ?? job.queue ?? null},
    run_at => ${options.runAt?.toISOString() ?? null}::timestamptz,
    max_attempts => ${job.maxAttempts ?? 12},
    job_key => ${options.key ?? null},
    job_key_mode => ${options.keepsRunAt ? 'preserve_run_at' : 'replace'},
    priority => ${flag === null ? 0 : turnOf(job.name, flag, options.key ?? '')},
    flags => ${flag === null ? null : sql`array[${flag}]`}), pg_notify(${JOB_ADDED}, ${laneOf(job)})`)
}

/** Jobs with keys and without owners, in one statement. Of those with the same key the last one counts. */
export async function enqueueAll<Payload extends object>(
  db: Db,
  job: Omit<Job<Payload>, 'ownerOf'>,
  entries: readonly { key: string; payload: Payload }[],
): Promise<void> {
  if (entries.length === 0) return
  // Sorted, so that processes that add the same keys do not block each other.
  const byKey = [...new Map(entries.map((entry) => [entry.key, entry])).values()].toSorted((one, other) =>
    one.key < other.key ? -1 : 1,
  )
  await db.execute(sql`select count(*), pg_notify(${JOB_ADDED}, ${laneOf(job)}) from graphile_worker.add_jobs(array(
    select row(${job.name}::text, entry->'payload', ${job.queue ?? null}::text, null, ${job.maxAttempts ?? 12}::smallint,
      entry->>'key', 0::smallint, null)::graphile_worker.job_spec
    from json_array_elements(${JSON.stringify(byKey)}::json) as entry))`)
}

/**
 * The priority; lower ones run first. An owner's first waiting job gets the lowest priority among the waiting
 * jobs, each further one a priority one higher: hundreds of jobs of one owner do not delay those of others.
 */
function turnOf(task: string, flag: string, replacedKey: string): SQL {
  const isWaiting = sql`task_id = task.id and is_available and key is distinct from ${replacedKey}`
  return sql`coalesce((
    select least(${PRIORITY_MAX}, greatest(0,
      (select priority from graphile_worker._private_jobs
        where ${isWaiting} and run_at <= now() order by priority limit 1),
      (select priority + 1 from graphile_worker._private_jobs
        where ${isWaiting} and ${isOf(flag)} order by priority desc limit 1)))::int
    from graphile_worker._private_tasks as task where identifier = ${task}), 0)`
}

/** Must have the same text as the expression in the index that `migrateDatabase` adds. */
function isOf(flag: string): SQL {
  return sql`flags::text = jsonb_build_object(${flag}::text, true)::text and flags is not null`
}

/**
 * Removes the waiting jobs of a kind of which one run does the work of all. Call before reading that work in the same
 * transaction: what was committed with a job that is removed here is read then.
 */
export async function absorbWaiting<Payload extends object>(
  tx: Transaction,
  job: Job<Payload>,
): Promise<void> {
  await tx.execute(sql`select count(*) from graphile_worker.complete_jobs(array(
    select id from graphile_worker._private_jobs where is_available and task_id = (
      select id from graphile_worker._private_tasks where identifier = ${job.name})))`)
}

/** How many jobs of an owner wait or run. */
export async function countJobsOf<Payload extends object>(
  db: Db,
  job: Job<Payload>,
  owner: string,
): Promise<number> {
  const [row] = await db.execute<{ count: number }>(sql`
    select count(*)::int as count from graphile_worker._private_jobs
    where task_id = (select id from graphile_worker._private_tasks where identifier = ${job.name})
      and attempts < max_attempts and ${isOf(ownerFlag(owner))}`)
  return row?.count ?? 0
}

/** The keys of the jobs that wait or run. */
export async function listPendingKeys<Payload extends object>(
  db: Db,
  job: Job<Payload>,
): Promise<ReadonlySet<string>> {
  const rows = await db.execute<{ key: string }>(sql`
    select key from graphile_worker.jobs
    where task_identifier = ${job.name} and key is not null
      and (locked_at is not null or attempts < max_attempts)`)
  return new Set(rows.map(({ key }) => key))
}

interface QueueState {
  queued: number
  dead: { task: string; count: number; last_error: string | null }[]
}

/** A job is dead after its last attempt; it stays in the table until an operator deletes or repeats it. */
export async function loadQueueState(db: Db): Promise<QueueState> {
  const dead = await db.execute<{ task: string; count: number; last_error: string | null }>(sql`
    select task_identifier as task, count(*)::int as count, (array_agg(last_error order by updated_at desc))[1] as last_error
    from graphile_worker.jobs where attempts >= max_attempts and locked_at is null group by task_identifier order by 1`)
  const [row] = await db.execute<{ queued: number }>(sql`
    select count(*)::int as queued from graphile_worker.jobs where attempts < max_attempts`)
  return { queued: row?.queued ?? 0, dead: [...dead] }
}
