import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'

import { openEmbeddedPostgres } from '../../../src/db/embedded.ts'
import { migrateDatabase } from '../../../src/db/migrate.ts'
import { startCeph } from './ceph.ts'
import { startClamd } from './clamd.ts'
import { ENGINE_NAMES, type EngineName, installEngines } from './install.ts'
import { startMeilisearch } from './meilisearch.ts'
import { startRedis } from './redis.ts'

export interface Engines {
  /** Environment variables for the tests. */
  env: Record<string, string>
  missing: EngineName[]
  stop(): Promise<void>
}

const GIVEN_BY: Partial<Record<EngineName, string>> = {
  redis: 'TEST_REDIS_URL',
  s3: 'TEST_S3_URL',
  clamd: 'TEST_CLAMD_URL',
  meilisearch: 'TEST_MEILI_URL',
}

/** Starts real engines, each in its own folder under `dir`, except those whose URL is given. */
export async function startEngines(dir: string): Promise<Engines> {
  const env: Record<string, string> = {}
  const missing = await installEngines(ENGINE_NAMES.filter((name) => !process.env[GIVEN_BY[name] ?? '']))
  const stops: (() => Promise<void>)[] = []
  const stop = async () => {
    for (const end of stops.splice(0).reverse()) await end()
  }

  try {
    await Promise.all([postgres(), redis(), ceph(), clamd(), meilisearch()])
    return { env, missing, stop }
  } catch (error) {
    await stop()
    throw error
  }

  async function postgres(): Promise<void> {
    let url = process.env.TEST_DATABASE_URL
    if (!url) {
      // Persistence is off: the data is discarded anyway.
      const settings = {
        fsync: 'off',
        synchronous_commit: 'off',
        full_page_writes: 'off',
        max_connections: '300',
      }
      const running = await openEmbeddedPostgres(join(dir, 'postgres'), { settings })
      stops.push(running.stop)
      url = running.url
    }
    await migrateDatabase(url)
    env.TEST_DATABASE_URL = url
  }

  async function redis(): Promise<void> {
    const given = process.env.TEST_REDIS_URL
    if (given) return void (env.TEST_REDIS_URL = given)
    if (missing.includes('redis')) return
    const folder = join(dir, 'redis')
    await mkdir(folder, { recursive: true })
    const running = await startRedis(folder)
    stops.push(running.stop)
    env.TEST_REDIS_URL = running.url
  }

  async function ceph(): Promise<void> {
    if (process.env.TEST_S3_URL) return void (env.TEST_S3_URL = process.env.TEST_S3_URL)
    if (missing.includes('s3')) return
    const running = await startCeph({ dir: join(dir, 'ceph') })
    stops.push(running.stop)
    env.TEST_S3_URL = running.url
    env.AWS_ACCESS_KEY_ID = running.accessKeyId
    env.AWS_SECRET_ACCESS_KEY = running.secretAccessKey
  }

  async function clamd(): Promise<void> {
    const given = process.env.TEST_CLAMD_URL
    if (given) return void (env.TEST_CLAMD_URL = given)
    if (missing.includes('clamd')) return
    const running = await startClamd(join(dir, 'clamd'))
    stops.push(running.stop)
    env.TEST_CLAMD_URL = running.url
  }

  async function meilisearch(): Promise<void> {
    const { TEST_MEILI_URL: url, TEST_MEILI_KEY: key = '' } = process.env
    if (url) return void Object.assign(env, { TEST_MEILI_URL: url, TEST_MEILI_KEY: key })
    if (missing.includes('meilisearch')) return
    const running = await startMeilisearch(join(dir, 'meilisearch'))
    stops.push(running.stop)
    env.TEST_MEILI_URL = running.url
    env.TEST_MEILI_KEY = running.key
  }
}
