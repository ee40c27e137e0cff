import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { drizzle } from 'drizzle-orm/postgres-js'
import { migrate } from 'drizzle-orm/postgres-js/migrator'
import type postgres from 'postgres'

import { isLockTimeout } from './errors.ts'
import { LOCKS } from './locks/locks.ts'
import { openSession } from './pool/sessions.ts'

/** The newest schema version of graphile-worker; a test compares it with the library. */
export const JOB_QUEUE_SCHEMA = 20

/** Later statements queue behind a migration that waits for a table, so it waits only briefly and retries. */
const LOCK_TIMEOUT_MS = 2000
const RETRY_PAUSE_MS = 1000
const ATTEMPTS_MAX = 60

/** The migrations are next to the sources, or embedded in the binary. */
export function findMigrationsFolder(): string {
  const beside = join(import.meta.dir, '../../drizzle')
  return Bun.isStandaloneExecutable || !existsSync(beside) ? join(import.meta.dir, 'drizzle') : beside
}

interface MigrationState {
  current: boolean
  applied: number
  total: number
}

/** Migrates the database to this program's schema. Instances that start together wait for each other. */
export async function migrateDatabase(
  url: string,
  folder: string = findMigrationsFolder(),
): Promise<'migrated' | 'already current'> {
  const client = openSession(url, 'migrate')
  try {
    if ((await loadState(client, folder)).current) return 'already current'
    await client`select pg_advisory_lock(${LOCKS.migration})`
    if ((await loadState(client, folder)).current) return 'already current'
    const { runMigrations } = await import('graphile-worker')
    await applyMigrations(client, folder)
    await runMigrations({ connectionString: url })
    await tuneQueue(client)
    return 'migrated'
  } finally {
    await client.end({ timeout: 5 })
  }
}

async function applyMigrations(client: postgres.Sql, migrationsFolder: string): Promise<void> {
  await client`select set_config('lock_timeout', ${`${LOCK_TIMEOUT_MS}ms`}, false)`
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await migrate(drizzle(client), { migrationsFolder })
    } catch (error) {
      if (!isLockTimeout(error)) throw error
      if (attempt === ATTEMPTS_MAX) {
        const problem = 'The migration cannot lock its tables, because a transaction holds them for minutes'
        throw new Error(`${problem}: find it in pg_stat_activity, end it and start again`, { cause: error })
      }
      await Bun.sleep(RETRY_PAUSE_MS)
    }
  }
}

async function tuneQueue(client: postgres.Sql): Promise<void> {
  // For the turns of owners: the queue's own indexes cover all tasks and would be read whole for each new
  // job.
  await client`
    create index if not exists jobs_by_owner on graphile_worker._private_jobs (task_id, (flags::text), priority)
    where flags is not null`
  await client`
    create index if not exists jobs_by_task on graphile_worker._private_jobs (task_id, priority) where is_available`
  // Otherwise Postgres plans its statements again for each new job, which takes longer than they do.
  await client`alter function graphile_worker.add_jobs set plan_cache_mode = force_generic_plan`
}

export async function loadMigrationState(url: string): Promise<MigrationState> {
  const client = openSession(url, 'migrate')
  try {
    return await loadState(client, findMigrationsFolder())
  } finally {
    await client.end({ timeout: 5 })
  }
}

async function loadState(client: postgres.Sql, folder: string): Promise<MigrationState> {
  const journal = parseJournal(folder)
  const total = journal.length
  const [tables] = await client<{ ours: string | null; queue: string | null }[]>`
    select to_regclass('drizzle.__drizzle_migrations')::text as ours, to_regclass('graphile_worker.migrations')::text as queue`
  if (!tables?.ours || !tables.queue) return { current: false, applied: 0, total }
  const [row] = await client<{ applied: number; newest: string | null; queue: number | null }[]>`
    select count(*)::int as applied, max(created_at)::text as newest,
      (select max(id) from graphile_worker.migrations) as queue
    from drizzle.__drizzle_migrations`
  const newest = journal.at(-1)?.when ?? 0
  const current = Number(row?.newest ?? 0) >= newest && (row?.queue ?? 0) >= JOB_QUEUE_SCHEMA
  return { current, applied: row?.applied ?? 0, total }
}

function parseJournal(folder: string): { when: number }[] {
  const journal = JSON.parse(readFileSync(join(folder, 'meta/_journal.json'), 'utf8'))
  return journal.entries
}
