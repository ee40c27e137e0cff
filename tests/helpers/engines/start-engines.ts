import { mkdir, mkdtemp, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'

import postgres from 'postgres'

import { openEmbeddedPostgres } from '../../../src/db/embedded/embedded.ts'
import { startCeph } from './ceph.ts'
import { startClamd } from './clamd.ts'
import { type EngineName, installEngines } from './install.ts'
import { startMeilisearch } from './meilisearch.ts'
import { startRedis } from './redis.ts'

export type Env = Readonly<Record<string, string | undefined>>

export interface Engines {
  /** Environment variables for the tests. */
  env: Record<string, string>
  missing: EngineName[]
  stop(): Promise<void>
}

interface Started {
  env: Record<string, string>
  stop(): Promise<void>
}

interface Startable {
  /** An address in these variables is used instead of starting the engine; the first one decides. */
  given: readonly [string, ...string[]]
  start(dir: string): Promise<Started>
}

/**
 * Durability is off: the data is discarded anyway. A statement is planned once per connection, because most run only a few
 * times on each; otherwise the first five runs are all planned.
 */
const POSTGRES_SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_wal_size: '256MB',
  max_connections: '300',
  plan_cache_mode: 'force_generic_plan',
}

/** Every test file makes a database of a thousand small files, which costs a tenth of the time in memory. */
const MEMORY_DIR = '/dev/shm'
const MEMORY_MIN_BYTES = 2 * 1024 ** 3

const STARTABLE: Partial<Record<EngineName, Startable>> = {
  postgres: {
    given: ['TEST_DATABASE_URL'],
    async start(dir) {
      const memory = await takeMemory()
      const { url, stop } = await openEmbeddedPostgres(memory ?? dir, { settings: POSTGRES_SETTINGS })
      await makeSignInCheap(url)
      return {
        env: { TEST_DATABASE_URL: url },
        async stop() {
          await stop()
          if (memory) await rm(memory, { recursive: true, force: true })
        },
      }
    },
  },
  redis: {
    given: ['TEST_REDIS_URL'],
    async start(dir) {
      const { url, stop } = await startRedis(dir)
      return { env: { TEST_REDIS_URL: url }, stop }
    },
  },
  s3: {
    given: ['TEST_S3_URL', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'],
    async start(dir) {
      const { url, accessKeyId, secretAccessKey, stop } = await startCeph({ dir })
      const keys = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey }
      return { env: { TEST_S3_URL: url, ...keys }, stop }
    },
  },
  clamd: {
    given: ['TEST_CLAMD_URL'],
    async start(dir) {
      const { url, stop } = await startClamd(dir)
      return { env: { TEST_CLAMD_URL: url }, stop }
    },
  },
  meilisearch: {
    given: ['TEST_MEILI_URL', 'TEST_MEILI_KEY'],
    async start(dir) {
      const { url, key, stop } = await startMeilisearch(dir)
      return { env: { TEST_MEILI_URL: url, TEST_MEILI_KEY: key }, stop }
    },
  },
}

/** Starts these engines, each in its own folder under `dir`, except those whose address `given` has. */
export async function startEngines(
  dir: string,
  names: readonly EngineName[],
  given: Env = process.env,
): Promise<Engines> {
  const env: Record<string, string> = {}
  const absent = findAbsentEngines(names, given, env)
  const missing = await installEngines(absent)
  const stops: (() => Promise<void>)[] = []
  const stop = async () => {
    for (const end of stops.splice(0).reverse()) await end()
  }
  const starts = absent.map(async (name) => {
    const engine = STARTABLE[name]
    if (!engine || missing.includes(name)) return
    const folder = join(dir, name)
    await mkdir(folder, { recursive: true })
    const started = await engine.start(folder)
    stops.push(started.stop)
    Object.assign(env, started.env)
  })
  const failed = (await Promise.allSettled(starts)).find((start) => start.status === 'rejected')
  if (!failed) return { env, missing, stop }
  await stop()
  throw failed.reason
}

/** Those whose address is not given. The variables of the others are copied to `env`. */
export function findAbsentEngines(
  names: readonly EngineName[],
  given: Env = process.env,
  env: Record<string, string> = {},
): EngineName[] {
  return names.filter((name) => !takeGiven(name, given, env))
}

/** Otherwise clients hash the password 4,096 times for each of the thousands of connections. */
async function makeSignInCheap(url: string): Promise<void> {
  const { username, password } = new URL(url)
  const sql = postgres(url, { max: 1 })
  await sql`set scram_iterations = 1`
  await sql`alter role ${sql(username)} password ${sql.unsafe(`'${password}'`)}`
  await sql.end()
}

/** A folder in memory; null where there is none or too little. */
async function takeMemory(): Promise<string | null> {
  const { bavail, bsize } = await statfs(MEMORY_DIR).catch(() => ({ bavail: 0, bsize: 0 }))
  return bavail * bsize < MEMORY_MIN_BYTES ? null : await mkdtemp(`${MEMORY_DIR}/playshelf-postgres-`)
}

/** Copies the variables of an engine that already runs. Returns whether there is one. */
function takeGiven(name: EngineName, given: Env, env: Record<string, string>): boolean {
  const variables = STARTABLE[name]?.given
  if (!variables || !given[variables[0]]) return false
  for (const variable of variables) env[variable] = given[variable] ?? ''
  return true
}
