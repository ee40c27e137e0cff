import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import postgres from 'postgres'

import { randomAddress } from '../../helpers/people.ts'
import { startReplica } from '../../helpers/processes/replica.ts'
import { type Environment, ROOT, startServerProcess } from '../environment.ts'
import { judge, type Line } from '../report/line.ts'
import { loadDemo } from './catalog.ts'
import type { Scenario } from './scenario.ts'

const REQUESTS = 3000
const AT_ONCE = 8
/** Postgres publishes the statistics of an idle connection after ten seconds. */
const STATISTICS_MS = 11_000

export const replica: Scenario = {
  name: 'replica',
  about: 'transactions of the primary while guests browse, with a read replica against without',
  async run(environment) {
    await loadDemo(environment)
    const primary = await environment.databaseUrl()
    const dir = await mkdtemp(join(tmpdir(), 'playshelf-bench-replica-'))
    const standby = await startReplica(dir, primary)
    try {
      const without = await browse(environment, { primary, replica: standby.url() }, {})
      const used = { DATABASE_READ_URL: standby.url() }
      const relieved = await browse(environment, { primary, replica: standby.url() }, used)
      return [describe(relieved.primary, without.primary, { without, relieved })]
    } finally {
      await standby.stop()
      await rm(dir, { recursive: true, force: true })
    }
  },
}

function describe(subject: number, baseline: number, details: object): Line {
  return judge({
    scenario: 'replica',
    measure: 'transactions per request',
    unit: 'tx',
    subject,
    baseline,
    details,
    target: { of: 'ratio', must: 'stay below', value: 0.25 },
  })
}

type Servers = Record<'primary' | 'replica', string>

/** Returns how many transactions a request took on each server. */
async function browse(
  environment: Environment,
  servers: Servers,
  more: Record<string, string>,
): Promise<Record<keyof Servers, number>> {
  const command = [process.execPath, join(ROOT, 'src/main.ts'), 'serve']
  const env = await environment.settings({ TRUST_PROXY: '1', ...more })
  const server = await startServerProcess({ command, path: '/ready', env })
  try {
    const paths = await listPaths(server.url)
    await Bun.sleep(STATISTICS_MS)
    const before = await countTransactions(servers)
    let sent = 0
    const send = async () => {
      while (sent < REQUESTS) {
        const path = paths[sent++ % paths.length] ?? ''
        const answer = await fetch(server.url + path, { headers: { 'x-forwarded-for': randomAddress() } })
        await answer.arrayBuffer()
        if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, send))
    await Bun.sleep(STATISTICS_MS)
    const after = await countTransactions(servers)
    return {
      primary: (after.primary - before.primary) / REQUESTS,
      replica: (after.replica - before.replica) / REQUESTS,
    }
  } finally {
    await server.stop()
  }
}

/** What guests open: each page, what belongs to it, its developer, and searches. */
async function listPaths(url: string): Promise<string[]> {
  const answer = await fetch(`${url}/api/v1/public/sitemap`)
  const { data } = (await answer.json()) as {
    data: { listings: { uid: string; vanity_name: string }[]; developers: { username: string }[] }
  }
  return [
    ...data.listings.flatMap(({ uid, vanity_name }) => [
      `/games/${vanity_name}`,
      `/api/v1/public/games/${uid}/children`,
      `/api/v1/public/games/${uid}/relations`,
      `/api/v1/public/search?q=${vanity_name.split('-')[0]}`,
    ]),
    ...data.developers.flatMap(({ username }) => [
      `/developers/${username}`,
      '/api/v1/public/shelves/tonight',
    ]),
  ]
}

async function countTransactions(servers: Servers): Promise<Record<keyof Servers, number>> {
  const [primary, standby] = await Promise.all([servers.primary, servers.replica].map(countOn))
  return { primary: primary ?? 0, replica: standby ?? 0 }
}

async function countOn(url: string): Promise<number> {
  const client = postgres(url, { max: 1 })
  try {
    const [row] = await client<{ count: number }[]>`
      select xact_commit::int as count from pg_stat_database where datname = current_database()`
    return row?.count ?? 0
  } finally {
    await client.end()
  }
}
