import postgres from 'postgres'

import { forLatest } from '../../src/lib/flow/memoize.ts'

export interface TestDatabase {
  url: string
  drop(): Promise<void>
}

/** Creates a migrated database for one test file, copied from the runner's template file by file: that is cheapest. */
export async function createTestDatabase(): Promise<TestDatabase> {
  return await create(
    (sql, name, template) => sql`create database ${sql(name)} template ${sql(template)} strategy file_copy`,
  )
}

/** An empty database, for tests of the migrations themselves. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  return await create((sql, name) => sql`create database ${sql(name)}`)
}

type Creation = (sql: postgres.Sql, name: string, template: string) => PromiseLike<unknown>

async function create(creation: Creation): Promise<TestDatabase> {
  const template = new URL(readEngineUrl('TEST_DATABASE_URL'))
  const name = `test_${crypto.randomUUID().replaceAll('-', '')}`
  const url = new URL(template)
  url.pathname = `/${name}`
  const sql = openAdmin(template.href)
  await creation(sql, name, template.pathname.slice(1))
  return {
    url: url.href,
    async drop() {
      await sql`drop database if exists ${sql(name)} with (force)`
    },
  }
}

export function readEngineUrl(name: string): string {
  const url = process.env[name]
  if (!url)
    throw new Error(
      `${name} is not set: run the tests with \`bun run test [file]\`, which starts the engines`,
    )
  return url
}

/** One connection for all test files of a process: each costs the engine as much as a copy of the database. */
const openAdmin = forLatest((templateUrl: string) => {
  const url = new URL(templateUrl)
  url.pathname = '/postgres'
  const options = { max: 1, idle_timeout: 5, fetch_types: false, prepare: false }
  return postgres(url.href, { ...options, onnotice: () => undefined })
})
