import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { drizzle } from 'drizzle-orm/postgres-js'
import { migrate } from 'drizzle-orm/postgres-js/migrator'
import postgres from 'postgres'

import { LOCKS } from './locks.ts'

/** The newest schema version of graphile-worker; a test compares it with the library. */
export const JOB_QUEUE_SCHEMA = 20

/** The migrations are next to the sources, or embedded in the binary. */
export function findMigrationsFolder(): string {
  const beside = join(import.meta.dir, '../../drizzle')
  return Bun.isStandaloneExecutable || !existsSync(beside) ? join(import.meta.dir, 'drizzle') : beside
}

export interface MigrationState {
  current: boolean
  applied: number
  total: number
}

/** Migrates the database to this program's schema. Instances that start together wait for each other. */
export async function migrateDatabase(url: string): Promise<'migrated' | 'already current'> {
  const client = postgres(url, {
    max: 1,
    onnotice: () => undefined,
    connection: { application_name: 'playshelf migrate' },
  })
  try {
    if ((await readState(client)).current) return 'already current'
    await client`select pg_advisory_lock(${LOCKS.migration})`
    if ((await readState(client)).current) return 'already current'
    const { runMigrations } = await import('graphile-worker')
    await migrate(drizzle(client), { migrationsFolder: findMigrationsFolder() })
    await runMigrations({ connectionString: url })
    return 'migrated'
  } finally {
    await client.end({ timeout: 5 })
  }
}

export async function readMigrationState(url: string): Promise<MigrationState> {
  const client = postgres(url, { max: 1, onnotice: () => undefined })
  try {
    return await readState(client)
  } finally {
    await client.end({ timeout: 5 })
  }
}

async function readState(client: postgres.Sql): Promise<MigrationState> {
  const total = readJournal().length
  const [tables] = await client<{ ours: string | null; queue: string | null }[]>`
    select to_regclass('drizzle.__drizzle_migrations')::text as ours, to_regclass('graphile_worker.migrations')::text as queue`
  if (!tables?.ours || !tables.queue) return { current: false, applied: 0, total }
  const [row] = await client<{ applied: number; newest: string | null; queue: number | null }[]>`
    select count(*)::int as applied, max(created_at)::text as newest,
      (select max(id) from graphile_worker.migrations) as queue
    from drizzle.__drizzle_migrations`
  const newest = readJournal().at(-1)?.when ?? 0
  const current = Number(row?.newest ?? 0) >= newest && (row?.queue ?? 0) >= JOB_QUEUE_SCHEMA
  return { current, applied: row?.applied ?? 0, total }
}

function readJournal(): { when: number }[] {
  const journal = JSON.parse(readFileSync(join(findMigrationsFolder(), 'meta/_journal.json'), 'utf8'))
  return journal.entries
}
