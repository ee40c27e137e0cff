import { join } from 'node:path'

import { type FloodName, FLOODS } from '../../faults/hostile/floods.ts'
import { besiege, type SiegeOptions, type SiegeReport } from '../../faults/hostile/siege.ts'
import { ROOT, startServerProcess } from '../environment.ts'
import { judge, type Line, summarise } from '../report/line.ts'
import { prepareCatalog } from '../search-data.ts'
import { startS3 } from '../uploads/upload-run.ts'
import type { Scenario } from './scenario.ts'

const LISTINGS = 2000
const ROUNDS = 3
const SECONDS = 60
const QUIET_SECONDS = 15
const CONNECTIONS = 24
const SLOWER = 5
/** Beside requests that are all allowed. */
const FLOOD_SLOWER = 3
const FLOOD_SECONDS = 30
const FLOOD_NAMES = Object.keys(FLOODS) as FloodName[]
/** Relative to halfway through: later growth is caused by the attacks. */
const GROWTH = 1.25
/** How long a job of the honest developer may take from its cause to its effect. */
const WAIT_MS = 5000
/** A quota that the flood of events reaches within the siege. */
const EVENTS_PER_DAY = '50000'

const below = (of: 'ratio' | 'subject', value: number) => ({ of, must: 'stay below', value }) as const

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
    const besiegeOften = async (options: Partial<SiegeOptions>) => {
      const reports: SiegeReport[] = []
      while (reports.length < ROUNDS) reports.push(await runSiege(settings, options))
      return reports
    }
    const lines = judgeSieges(await besiegeOften({ seconds: SECONDS }))
    for (const flood of FLOOD_NAMES)
      lines.push(judgeFloods(flood, await besiegeOften({ seconds: FLOOD_SECONDS, flood })))
    return lines
  },
}

/** On a server of its own: the one before still remembers who attacked it. */
async function runSiege(
  settings: Record<string, string>,
  options: Partial<SiegeOptions>,
): Promise<SiegeReport> {
  const server = await startServerProcess({
    command: [process.execPath, join(ROOT, 'src/main.ts'), 'serve'],
    path: '/health',
    env: settings,
  })
  try {
    const { url, pid } = server
    const address = { url, pid, databaseUrl: settings.DATABASE_URL ?? '' }
    const usual = { seconds: SECONDS, quietSeconds: QUIET_SECONDS, connections: CONNECTIONS, isNice: true }
    return await besiege(address, { ...usual, seed: Date.now(), ...options })
  } finally {
    await server.stop()
  }
}

/** The p95 of honest visitors in the median of the rounds: their quiet time varies by a third. */
function judgeVisitors(reports: readonly SiegeReport[], measure: string, slower: number) {
  for (const { quiet, besieged, publisher, enemy, stuckConnections } of reports) {
    const failures = [...quiet.failures, ...besieged.failures, ...publisher.failures, ...enemy.faults]
    if (failures.length > 0) throw new Error(failures.slice(0, 5).join('\n'))
    if (stuckConnections > 0) throw new Error(`${stuckConnections} connections are stuck in a transaction`)
  }
  const honest = reports
    .map(({ quiet, besieged }) => ({
      subject: summarise(besieged.times).p95,
      baseline: summarise(quiet.times).p95,
    }))
    .toSorted((a, b) => a.subject / a.baseline - b.subject / b.baseline)
  return {
    measure,
    unit: 'ms',
    ...(honest[honest.length >> 1] ?? { subject: Number.NaN, baseline: Number.NaN }),
    target: below('ratio', slower),
    details: { honest, enemies: reports.map(({ enemy }) => enemy) },
  }
}

function judgeFloods(flood: FloodName, reports: readonly SiegeReport[]): Line {
  const refused = reports
    .flatMap(({ enemy }) => Object.keys(enemy.statuses))
    .filter((status) => status === '429')
  if (refused.length > 0) throw new Error('The flood ran into a limit; it must stay below all of them.')
  const measure = `the same beside ${flood.replaceAll('_', ' ')}`
  return judge({ scenario: 'siege', ...judgeVisitors(reports, measure, FLOOD_SLOWER) })
}

/** For everything but the visitors the worst of the rounds. */
function judgeSieges(reports: readonly SiegeReport[]): Line[] {
  const grown = (kind: 'memory' | 'disk') => {
    const [worst] = reports
      .map((report) => ({ subject: report[kind].end, baseline: report[kind].half }))
      .toSorted((a, b) => b.subject / b.baseline - a.subject / a.baseline)
    return worst ?? { subject: Number.NaN, baseline: Number.NaN }
  }
  const lines = [
    judgeVisitors(reports, 'p95 of honest visitors, against the quiet time', SLOWER),
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
