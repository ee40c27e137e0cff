import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { openEmbeddedPostgres } from '../../src/db/embedded/embedded.ts'
import { migrateDatabase } from '../../src/db/migrate.ts'
import type { Pace } from './compare.ts'
import { bareEnvironment } from './server-process.ts'

export const ROOT = join(import.meta.dir, '../..')
export const SERVERS = join(import.meta.dir, 'servers')

/** Resources that scenarios share, created on first use. */
export interface Environment {
  pace: Pace
  /** A migrated Postgres, used only by this run. */
  databaseUrl(): Promise<string>
  /** Settings of a Playshelf on that Postgres, with its own data folder. */
  settings(more?: Record<string, string>): Promise<Record<string, string>>
  /** The path of the compiled program. */
  binary(): Promise<string>
  dispose(): Promise<void>
}

export async function openEnvironment(pace: Pace): Promise<Environment> {
  const home = await mkdtemp(join(tmpdir(), 'playshelf-bench-'))
  const cleanup = new AsyncDisposableStack()
  cleanup.defer(() => rm(home, { recursive: true, force: true }))
  let database: Promise<string> | undefined
  let binary: Promise<string> | undefined

  async function startDatabase(): Promise<string> {
    const postgres = await openEmbeddedPostgres(join(home, 'postgres'))
    cleanup.defer(() => postgres.stop())
    await migrateDatabase(postgres.url)
    return postgres.url
  }

  const databaseUrl = () => (database ??= startDatabase())
  return {
    pace,
    databaseUrl,
    async settings(more = {}) {
      return {
        DATABASE_URL: await databaseUrl(),
        DATA_DIR: await mkdtemp(join(home, 'data-')),
        SECRET_KEY: 'only-for-measuring-and-long-enough-for-it',
        LOG_LEVEL: 'info',
        ROLE: 'api',
        ...more,
      }
    },
    binary: () => (binary ??= build(join(home, 'playshelf'))),
    dispose: () => cleanup.disposeAsync(),
  }
}

async function build(outfile: string): Promise<string> {
  const child = Bun.spawn([process.execPath, 'infra/scripts/build.ts', outfile], {
    cwd: ROOT,
    env: bareEnvironment(),
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const [errors, code] = await Promise.all([child.stderr.text(), child.exited])
  if (code !== 0) throw new Error(`The program could not be built:\n${errors}`)
  return outfile
}
