import { join } from 'node:path'

import postgres from 'postgres'

import { readMemory } from '../../helpers/processes/process-stats.ts'
import { startReceiver, type WebhookReceiver } from '../../helpers/webhook-receiver.ts'
import type { EnemyOptions, EnemyReport } from './enemy.ts'
import { publish, type PublisherReport } from './publisher.ts'
import { prepareTarget, type Server, type Target } from './target.ts'
import { visit, type VisitorReport } from './visitors.ts'

const CHILD = join(import.meta.dir, 'enemy-child.ts')
const SAMPLE_MS = 500
/** Long enough to be abandoned: our transactions last milliseconds. */
const STUCK_SECONDS = 5
/** One each second. */
const STUCK_LOOKS = 20

export interface SiegeOptions extends EnemyOptions {
  quietSeconds: number
}

export interface SiegeReport {
  quiet: VisitorReport
  besieged: VisitorReport
  /** An honest developer during the siege. */
  publisher: PublisherReport
  enemy: EnemyReport
  /** Resident memory in MiB: after the quiet phase, halfway, at the end and at its highest. */
  memory: { quiet: number; half: number; end: number; peak: number }
  /** Size of the database in MiB, halfway and at the end. */
  disk: { half: number; end: number }
  /** The longest wait for /health in milliseconds. */
  longestWait: number
  /** Connections that stayed in a transaction without doing anything, seen after the siege. */
  stuckConnections: number
}

/** Measures the honest people alone, then beside the enemy. */
export async function besiege(server: Server, options: SiegeOptions): Promise<SiegeReport> {
  await using receiver = useReceiver()
  await using silence = useReceiver()
  silence.answer = () => new Promise<never>(() => undefined)
  const target = await prepareTarget(server, { honest: receiver.url(), silent: silence.url('') })
  // The server compiles code and fills caches at first, which would make the quiet time look slow.
  await visit(target, options.quietSeconds)
  const quiet = await visit(target, options.quietSeconds)
  const quietMemory = await readMemory(target.pid, 'VmRSS')
  const watch = startWatch(target)
  const [besieged, publisher, enemy] = await Promise.all([
    visit(target, options.seconds),
    publish(target, receiver, options.seconds),
    sendEnemy(target, options),
  ])
  const { samples, longestWait } = await watch.stop()
  const end = samples.at(-1) ?? { memory: quietMemory, disk: 0 }
  const half = samples[samples.length >> 1] ?? end
  const peak = Math.max(quietMemory, ...samples.map(({ memory }) => memory))
  await Bun.sleep(STUCK_SECONDS * 1000)
  return {
    quiet,
    besieged,
    publisher,
    enemy,
    longestWait,
    stuckConnections: await countStuck(target),
    memory: { quiet: quietMemory, half: half.memory, end: end.memory, peak },
    disk: { half: half.disk, end: end.disk },
  }
}

function useReceiver(): WebhookReceiver & AsyncDisposable {
  const receiver = startReceiver()
  return Object.assign(receiver, { [Symbol.asyncDispose]: receiver.stop })
}

async function sendEnemy(target: Target, options: EnemyOptions): Promise<EnemyReport> {
  const child = Bun.spawn([process.execPath, CHILD, JSON.stringify({ target, options })], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  return JSON.parse(await child.stdout.text()) as EnemyReport
}

function startWatch({ pid, url, databaseUrl }: Target) {
  const samples: { memory: number; disk: number }[] = []
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => undefined })
  let longestWait = 0
  let isOver = false
  const sample = async () => {
    const [row] = await sql<{ mib: number }[]>`
      select pg_database_size(current_database())::float8 / 1048576 as mib`
    samples.push({ memory: await readMemory(pid, 'VmRSS'), disk: row?.mib ?? 0 })
  }
  const watching = (async () => {
    while (!isOver) {
      const started = performance.now()
      await fetch(`${url}/health`).then((response) => response.text())
      longestWait = Math.max(longestWait, performance.now() - started)
      await sample()
      await Bun.sleep(SAMPLE_MS)
    }
    await sample()
  })()
  return {
    async stop() {
      isOver = true
      await watching
      await sql.end()
      return { samples, longestWait }
    },
  }
}

/** Jobs go last on a busy machine, but go on; what is abandoned stays until the database ends it after a minute. */
async function countStuck({ databaseUrl }: Target): Promise<number> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => undefined })
  const count = async () => {
    const [row] = await sql<{ count: number }[]>`
      select count(*)::int as count from pg_stat_activity
      where datname = current_database() and state like 'idle in transaction%'
        and state_change < now() - make_interval(secs => ${STUCK_SECONDS - 1})`
    return row?.count ?? 0
  }
  let stuck = await count()
  for (let look = 0; stuck > 0 && look < STUCK_LOOKS; look += 1) {
    await Bun.sleep(1000)
    stuck = await count()
  }
  await sql.end()
  return stuck
}
