import postgres from 'postgres'

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
  await asAdmin(template, (sql) => creation(sql, name, template.pathname.slice(1)))
  return {
    url: url.href,
    drop: () => asAdmin(template, (sql) => sql`drop database if exists ${sql(name)} with (force)`),
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

async function asAdmin(template: URL, work: (sql: postgres.Sql) => PromiseLike<unknown>): Promise<void> {
  const admin = new URL(template)
  admin.pathname = '/postgres'
  const sql = postgres(admin.href, { max: 1, onnotice: () => undefined })
  try {
    await work(sql)
  } finally {
    await sql.end()
  }
}
