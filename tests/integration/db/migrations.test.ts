import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cp, readdir } from 'node:fs/promises'
import { join } from 'node:path'

import { generateDrizzleJson, generateMigration } from 'drizzle-kit/api'
import postgres from 'postgres'

import { JOB_QUEUE_SCHEMA, loadMigrationState, migrateDatabase } from '../../../src/db/migrate.ts'
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../../helpers/database.ts'
import { createTempDir } from '../../helpers/processes/child.ts'
import { addNextMigration } from '../../helpers/processes/next-migration.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createEmptyDatabase()
})
afterAll(() => database.drop())

describe('migrations', () => {
  test('run once, however many instances start together', async () => {
    expect(await loadMigrationState(database.url)).toMatchObject({ current: false, applied: 0 })
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => migrateDatabase(database.url)))
    expect(outcomes.filter((outcome) => outcome === 'migrated')).toHaveLength(1)
    const state = await loadMigrationState(database.url)
    expect(state).toMatchObject({ current: true, applied: state.total })
  })

  test('from empty equal the schema', async () => {
    const wanted = await createEmptyDatabase()
    try {
      const statements = await generateMigration(
        generateDrizzleJson({}),
        generateDrizzleJson(await readTables()),
      )
      await withClient(wanted.url, (sql) => sql.unsafe(statements.join('\n')))
      expect(await readCatalog(database.url)).toEqual(await readCatalog(wanted.url))
    } finally {
      await wanted.drop()
    }
  })

  test('the comparison would see a difference', async () => {
    const before = await readCatalog(database.url)
    expect(before.length).toBeGreaterThan(200)
    await withClient(database.url, (sql) => sql`alter table player_keys drop column label`)
    expect(before.filter((line) => !/^player_keys .*(\blabel( |$)|_label_)/.test(line))).toEqual(
      await readCatalog(database.url),
    )
  })

  test('never block others for long while they wait for a table', async () => {
    const [busy, dir] = [await createTestDatabase(), await createTempDir('migrations')]
    const folder = join(dir.path, 'drizzle')
    await cp(join(import.meta.dir, '../../../drizzle'), folder, { recursive: true })
    await addNextMigration(folder)
    const [holder, reader] = [postgres(busy.url, { max: 1 }), postgres(busy.url, { max: 1 })]
    await reader`set lock_timeout = '4s'`
    let migrating: ReturnType<typeof migrateDatabase> | undefined
    await holder.begin(async (tx) => {
      await tx`lock table games in access share mode`
      migrating = migrateDatabase(busy.url, folder)
      const end = Date.now() + 6000
      while (Date.now() < end) {
        await reader`select count(*) from games`
        await Bun.sleep(50)
      }
    })
    expect(await migrating).toBe('migrated')
    await Promise.all([holder.end(), reader.end()])
    await Promise.all([busy.drop(), dir.remove()])
  })

  test('know the newest schema of the job queue', async () => {
    const files = await readdir(join(import.meta.dir, '../../../node_modules/graphile-worker/sql'))
    const newest = Math.max(
      ...files.map((name) => Number.parseInt(name, 10)).filter((number) => number < 1_000_000),
    )
    expect(JOB_QUEUE_SCHEMA).toBe(newest)
  })
})

/** Every column, index and constraint of our tables, one line each. */
async function readCatalog(url: string): Promise<string[]> {
  const rows = await withClient(
    url,
    (sql) => sql<{ line: string }[]>`
      select concat_ws(' ', table_name, column_name, data_type, udt_name, is_nullable, column_default,
        datetime_precision, is_identity, '') as line
      from information_schema.columns where table_schema = 'public'
      union all select indexdef from pg_indexes where schemaname = 'public'
      union all select conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid)
      from pg_constraint where connamespace = 'public'::regnamespace`,
  )
  return rows.map(({ line }) => line).toSorted()
}

/** Every table, as drizzle-kit finds them. */
async function readTables(): Promise<Record<string, unknown>> {
  const cwd = join(import.meta.dir, '../../../src/db/schema')
  const paths = await Array.fromAsync(new Bun.Glob('**/*.ts').scan({ cwd, absolute: true }))
  return Object.assign({}, ...(await Promise.all(paths.map((path) => import(path)))))
}

async function withClient<Result>(
  url: string,
  work: (sql: postgres.Sql) => PromiseLike<Result>,
): Promise<Result> {
  const client = postgres(url, { max: 1, onnotice: () => undefined })
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
