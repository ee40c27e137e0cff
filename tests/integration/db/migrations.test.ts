import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

import { pushSchema } from 'drizzle-kit/api'
import { drizzle } from 'drizzle-orm/node-postgres'
import { Pool } from 'pg'

import { JOB_QUEUE_SCHEMA, migrateDatabase, readMigrationState } from '../../../src/db/migrate.ts'
import { schema } from '../../../src/db/schema.ts'
import { createEmptyDatabase, type TestDatabase } from '../../helpers/database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createEmptyDatabase()
})
afterAll(() => database.drop())

describe('migrations', () => {
  test('run once, however many instances start together', async () => {
    expect(await readMigrationState(database.url)).toMatchObject({ current: false, applied: 0 })
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => migrateDatabase(database.url)))
    expect(outcomes.filter((outcome) => outcome === 'migrated')).toHaveLength(1)
    const state = await readMigrationState(database.url)
    expect(state).toMatchObject({ current: true, applied: state.total })
  })

  test('from empty equal the schema', async () => {
    expect(await readDifference()).toEqual([])
  })

  test('the comparison would see a difference', async () => {
    await withPool((pool) => pool.query('alter table player_keys drop column label'))
    expect((await readDifference()).join()).toContain('label')
  })

  test('know the newest schema of the job queue', async () => {
    const files = await readdir(join(import.meta.dir, '../../../node_modules/graphile-worker/sql'))
    const newest = Math.max(
      ...files.map((name) => Number.parseInt(name, 10)).filter((number) => number < 1_000_000),
    )
    expect(JOB_QUEUE_SCHEMA).toBe(newest)
  })
})

/** What would have to be done to the real database to make it the schema. */
async function readDifference(): Promise<string[]> {
  return await withPool(async (pool) => {
    const { statementsToExecute } = await pushSchema({ ...schema }, drizzle(pool), ['public'])
    return statementsToExecute
  })
}

async function withPool<Result>(work: (pool: Pool) => Promise<Result>): Promise<Result> {
  const pool = new Pool({ connectionString: database.url, max: 1 })
  return await work(pool).finally(() => void pool.end())
}
