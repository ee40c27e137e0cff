import { basename } from 'node:path'

import postgres from 'postgres'

import { findMigrationsFolder, migrateDatabase } from '../../../src/db/migrate.ts'

/**
 * Returns the address of a migrated database that test files copy. It is named after the migrations, so that engines
 * which stay up between runs serve every state of the schema.
 */
export async function prepareTemplate(engineUrl: string): Promise<string> {
  const url = new URL(engineUrl)
  const name = `template_${await hashMigrations()}`
  url.pathname = '/postgres'
  const sql = postgres(url.href, { max: 1, onnotice: () => undefined })
  try {
    const found = await sql`select 1 from pg_database where datname = ${name}`
    if (found.length === 0) await sql`create database ${sql(name)}`
  } finally {
    await sql.end()
  }
  url.pathname = `/${name}`
  await migrateDatabase(url.href)
  return url.href
}

async function hashMigrations(): Promise<string> {
  const folder = findMigrationsFolder()
  const files = await Array.fromAsync(new Bun.Glob('**/*.{sql,json}').scan({ cwd: folder, absolute: true }))
  const hasher = new Bun.CryptoHasher('sha256')
  for (const file of files.sort()) hasher.update(`${basename(file)}\n${await Bun.file(file).text()}\n`)
  return hasher.digest('hex').slice(0, 12)
}
