import { join } from 'node:path'

import { besiege, type SiegeReport } from '../../faults/hostile/siege.ts'
import { ROOT } from '../environment.ts'
import { judge, type Line } from '../report/line.ts'
import { summarise } from '../report/statistics.ts'
import { prepareCatalog } from '../search-data.ts'
import { startServerProcess } from '../server-process.ts'
import { startS3 } from '../uploads/upload-run.ts'
import type { Scenario } from './scenario.ts'

const LISTINGS = 2000
const ROUNDS = 3
const SECONDS = 60
const QUIET_SECONDS = 15
const CONNECTIONS = 24
const SLOWER = 5
/** Relative to halfway through: later growth is caused by the attacks. */
const GROWTH = 1.25
/** How long a job of the honest developer may take from its cause to its effect. */
const WAIT_MS = 5000
/** A quota that the flood of events reaches within the siege. */
const EVENTS_PER_DAY = '50000'

export const siege: Scenario = {
  name: 'siege',
  about: `honest people beside ${CONNECTIONS} connections of attacks for ${SECONDS} s, with files on S3, ${ROUNDS} times`,
  engines: ['s3'],
  async run(environment) {
    await using s3 = await startS3(environment)
    const settings = await prepareCatalog(environment, LISTINGS, {
      ROLE: 'all',
      EVENTS_PER_DAY,
      ...s3.env,
    })
    const reports: SiegeReport[] = []
    while (reports.length < ROUNDS) reports.push(await runSiege(settings))
    return judgeSieges(reports)
  },
}

/** On a server of its own: the one before still remembers who attacked it. */
async function runSiege(settings: Record<string, string>): Promise<SiegeReport> {
  const server = await startServerProcess({
    command: [process.execPath, join(ROOT, 'src/main.ts'), 'serve'],
    path: '/health',
    env: settings,
  })
  try {
    const options = { seconds: SECONDS, quietSeconds: QUIET_SECONDS, connections: CONNECTIONS, isNice: true }
    const { url, pid } = server
    const address = { url, pid, databaseUrl: settings.DATABASE_URL ?? '' }
    return await besiege(address, { ...options, seed: Date.now() })
  } finally {
    await server.stop()
  }
}

/** The median of the rounds for honest visitors, whose quiet time varies by a third; the worst for everything else. */
function judgeSieges(reports: readonly SiegeReport[]): Line[] {
  for (const { quiet, besieged, publisher, enemy, stuckConnections } of reports) {
    const failures = [...quiet.failures, ...besieged.failures, ...publisher.failures, ...enemy.faults]
    if (failures.length > 0) throw new Error(failures.slice(0, 5).join('\n'))
    if (stuckConnections > 0) throw new Error(`${stuckConnections} connections are stuck in a transaction`)
  }
  const below = (of: 'ratio' | 'subject', value: number) => ({ of, must: 'stay below', value }) as const
  const honest = reports
    .map(({ quiet, besieged }) => ({
      subject: summarise(besieged.times).p95,
      baseline: summarise(quiet.times).p95,
    }))
    .toSorted((a, b) => a.subject / a.baseline - b.subject / b.baseline)
  const grown = (kind: 'memory' | 'disk') => {
    const [worst] = reports
      .map((report) => ({ subject: report[kind].end, baseline: report[kind].half }))
      .toSorted((a, b) => b.subject / b.baseline - a.subject / a.baseline)
    return worst ?? { subject: Number.NaN, baseline: Number.NaN }
  }
  const lines = [
    {
      measure: 'p95 of honest visitors, against the quiet time',
      unit: 'ms',
      ...(honest[honest.length >> 1] ?? { subject: Number.NaN, baseline: Number.NaN }),
      target: below('ratio', SLOWER),
      details: { honest, enemies: reports.map(({ enemy }) => enemy) },
    },
    {
      measure: 'longest scan of an honest developer',
      unit: 'ms',
      baseline: null,
      subject: Math.max(...reports.flatMap(({ publisher }) => publisher.scans)),
      target: below('subject', WAIT_MS),
    },
    {
      measure: 'longest way of their webhooks',
      unit: 'ms',
      baseline: null,
      subject: Math.max(...reports.flatMap(({ publisher }) => publisher.webhooks)),
      target: below('subject', WAIT_MS),
    },
    {
      measure: 'memory at the end, against halfway',
      unit: 'MB',
      ...grown('memory'),
      target: below('ratio', GROWTH),
      details: reports.map(({ memory }) => memory),
    },
    {
      measure: 'database at the end, against halfway',
      unit: 'MB',
      ...grown('disk'),
      target: below('ratio', GROWTH),
      details: reports.map(({ disk }) => disk),
    },
  ]
  return lines.map((line) => judge({ scenario: 'siege', ...line }))
}
