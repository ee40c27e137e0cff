import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'

import { openEmbeddedPostgres } from '../../../src/db/embedded.ts'
import { migrateDatabase } from '../../../src/db/migrate.ts'
import { BROWSER_PACKAGES, findBrowser } from '../browser.ts'
import { CEPH_PACKAGES, isCephInstalled, startCeph } from './ceph.ts'
import { CLAMD_PACKAGES, isClamdInstalled, startClamd } from './clamd.ts'
import {
  installMeilisearch,
  isMeilisearchEmulatorInstalled,
  MEILISEARCH_PACKAGES,
  startMeilisearch,
} from './meilisearch.ts'
import { isPyJwtInstalled, PYTHON_PACKAGES } from './python.ts'
import { isRedisInstalled, REDIS_PACKAGES, startRedis } from './redis.ts'

export interface Engines {
  /** What the tests find in their environment. */
  env: Record<string, string>
  missing: string[]
  stop(): Promise<void>
}

/** Real engines for the tests, each in its own folder under `dir`; one whose URL is given already runs. */
export async function startEngines(dir: string): Promise<Engines> {
  const env: Record<string, string> = {}
  const missing: string[] = []
  const stops: (() => Promise<void>)[] = []
  const stop = async () => {
    for (const end of stops.splice(0).reverse()) await end()
  }

  try {
    await installMissing()
    await Promise.all([postgres(), redis(), ceph(), clamd(), meilisearch()])
    if (!findBrowser()) missing.push('browser')
    if (!isPyJwtInstalled()) missing.push('python')
    return { env, missing, stop }
  } catch (error) {
    await stop()
    throw error
  }

  async function postgres(): Promise<void> {
    let url = process.env.TEST_DATABASE_URL
    if (!url) {
      // What a crash would lose is thrown away anyway.
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
    if (!isRedisInstalled()) return void missing.push('redis')
    const folder = join(dir, 'redis')
    await mkdir(folder, { recursive: true })
    const running = await startRedis(folder)
    stops.push(running.stop)
    env.TEST_REDIS_URL = running.url
  }

  async function ceph(): Promise<void> {
    if (process.env.TEST_S3_URL) return void (env.TEST_S3_URL = process.env.TEST_S3_URL)
    if (!isCephInstalled()) return void missing.push('s3')
    const running = await startCeph({ dir: join(dir, 'ceph') })
    stops.push(running.stop)
    env.TEST_S3_URL = running.url
    env.AWS_ACCESS_KEY_ID = running.accessKeyId
    env.AWS_SECRET_ACCESS_KEY = running.secretAccessKey
  }

  async function clamd(): Promise<void> {
    const given = process.env.TEST_CLAMD_URL
    if (given) return void (env.TEST_CLAMD_URL = given)
    if (!isClamdInstalled()) return void missing.push('clamd')
    const running = await startClamd(join(dir, 'clamd'))
    stops.push(running.stop)
    env.TEST_CLAMD_URL = running.url
  }

  async function meilisearch(): Promise<void> {
    const { TEST_MEILI_URL: url, TEST_MEILI_KEY: key = '' } = process.env
    if (url) return void Object.assign(env, { TEST_MEILI_URL: url, TEST_MEILI_KEY: key })
    if (!(await installMeilisearch())) return void missing.push('meilisearch')
    const running = await startMeilisearch(join(dir, 'meilisearch'))
    stops.push(running.stop)
    env.TEST_MEILI_URL = running.url
    env.TEST_MEILI_KEY = running.key
  }
}

/** Debian's packages, where we may install them. */
async function installMissing(): Promise<void> {
  const packages = [
    ...(isRedisInstalled() ? [] : REDIS_PACKAGES),
    ...(isCephInstalled() ? [] : CEPH_PACKAGES),
    ...(isClamdInstalled() ? [] : CLAMD_PACKAGES),
    ...(isMeilisearchEmulatorInstalled() ? [] : MEILISEARCH_PACKAGES),
    ...(findBrowser() ? [] : BROWSER_PACKAGES),
    ...(isPyJwtInstalled() ? [] : PYTHON_PACKAGES),
  ]
  if (packages.length === 0 || process.getuid?.() !== 0 || !Bun.which('apt-get')) return
  console.log(`Installing ${packages.join(', ')} …`)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  for (const command of [['update'], ['install', '-y', '--no-install-recommends', ...packages]]) {
    const child = Bun.spawn(['apt-get', '-qq', ...command], { env, stdout: 'pipe', stderr: 'pipe' })
    const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    if (code !== 0) console.log(`apt-get ${command[0]} ended with ${code}:\n${out}${err}`)
  }
}
