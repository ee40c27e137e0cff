import { join } from 'node:path'

import postgres from 'postgres'

import { readMemory } from '../../bench/process-stats.ts'
import type { EnemyOptions, EnemyReport } from './enemy.ts'
import type { Target } from './target.ts'
import { visit, type VisitorReport } from './visitors.ts'

const CHILD = join(import.meta.dir, 'enemy-child.ts')
const SAMPLE_MS = 500
/** Long enough to be abandoned: our transactions last milliseconds. */
const STUCK_SECONDS = 5

export interface SiegeOptions extends EnemyOptions {
  quietSeconds: number
}

export interface SiegeReport {
  quiet: VisitorReport
  besieged: VisitorReport
  enemy: EnemyReport
  /** Resident memory in MiB: after the quiet phase, halfway, at the end and at its highest. */
  memory: { quiet: number; half: number; end: number; peak: number }
  /** The longest wait for /health in milliseconds. */
  longestWait: number
  /** Connections that stayed in a transaction without doing anything, seen after the siege. */
  stuckConnections: number
}

/** Measures the honest visitors alone, then beside the enemy. */
export async function besiege(target: Target, options: SiegeOptions): Promise<SiegeReport> {
  // The server compiles code and fills caches at first, which would make the quiet time look slow.
  await visit(target, options.quietSeconds)
  const quiet = await visit(target, options.quietSeconds)
  const quietMemory = await readMemory(target.pid, 'VmRSS')
  const watch = startWatch(target)
  const [besieged, enemy] = await Promise.all([visit(target, options.seconds), sendEnemy(target, options)])
  const { samples, longestWait } = await watch.stop()
  const half = samples[samples.length >> 1] ?? quietMemory
  const end = await readMemory(target.pid, 'VmRSS')
  const memory = { quiet: quietMemory, half, end, peak: Math.max(quietMemory, ...samples) }
  await Bun.sleep(STUCK_SECONDS * 1000)
  return { quiet, besieged, enemy, memory, longestWait, stuckConnections: await countStuck(target) }
}

async function sendEnemy(target: Target, options: EnemyOptions): Promise<EnemyReport> {
  const child = Bun.spawn([process.execPath, CHILD, JSON.stringify({ target, options })], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  return JSON.parse(await child.stdout.text()) as EnemyReport
}

function startWatch({ pid, url }: Target) {
  const samples: number[] = []
  let longestWait = 0
  let isOver = false
  const watching = (async () => {
    while (!isOver) {
      const started = performance.now()
      await fetch(`${url}/health`).then((response) => response.text())
      longestWait = Math.max(longestWait, performance.now() - started)
      samples.push(await readMemory(pid, 'VmRSS'))
      await Bun.sleep(SAMPLE_MS)
    }
  })()
  return {
    async stop() {
      isOver = true
      await watching
      return { samples, longestWait }
    },
  }
}

async function countStuck({ databaseUrl }: Target): Promise<number> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => undefined })
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and state like 'idle in transaction%'
      and state_change < now() - make_interval(secs => ${STUCK_SECONDS - 1})`
  await sql.end()
  return row?.count ?? 0
}
