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
  about: `honest people beside ${CONNECTIONS} connections of attacks for ${SECONDS} s, with files on S3`,
  engines: ['s3'],
  async run(environment) {
    await using s3 = await startS3(environment)
    const settings = await prepareCatalog(environment, LISTINGS, {
      ROLE: 'all',
      EVENTS_PER_DAY,
      ...s3.env,
    })
    const server = await startServerProcess({
      command: [process.execPath, join(ROOT, 'src/main.ts'), 'serve'],
      path: '/health',
      env: settings,
    })
    try {
      const options = {
        seconds: SECONDS,
        quietSeconds: QUIET_SECONDS,
        connections: CONNECTIONS,
        isNice: true,
      }
      const { url, pid } = server
      const address = { url, pid, databaseUrl: settings.DATABASE_URL ?? '' }
      return judgeSiege(await besiege(address, { ...options, seed: Date.now() }))
    } finally {
      await server.stop()
    }
  },
}

function judgeSiege(report: SiegeReport): Line[] {
  const { quiet, besieged, publisher, enemy, memory, disk, longestWait, stuckConnections } = report
  const failures = [...quiet.failures, ...besieged.failures, ...publisher.failures, ...enemy.faults]
  if (failures.length > 0) throw new Error(failures.slice(0, 5).join('\n'))
  if (stuckConnections > 0) throw new Error(`${stuckConnections} connections are stuck in a transaction`)
  const below = (of: 'ratio' | 'subject', value: number) => ({ of, must: 'stay below', value }) as const
  const lines = [
    {
      measure: 'p95 of honest visitors, against the quiet time',
      unit: 'ms',
      subject: summarise(besieged.times).p95,
      baseline: summarise(quiet.times).p95,
      target: below('ratio', SLOWER),
      details: { enemy, longestWait, requests: besieged.times.length },
    },
    {
      measure: 'longest scan of an honest developer',
      unit: 'ms',
      baseline: null,
      subject: Math.max(...publisher.scans),
      target: below('subject', WAIT_MS),
    },
    {
      measure: 'longest way of their webhooks',
      unit: 'ms',
      baseline: null,
      subject: Math.max(...publisher.webhooks),
      target: below('subject', WAIT_MS),
    },
    {
      measure: 'memory at the end, against halfway',
      unit: 'MB',
      subject: memory.end,
      baseline: memory.half,
      target: below('ratio', GROWTH),
      details: memory,
    },
    {
      measure: 'database at the end, against halfway',
      unit: 'MB',
      subject: disk.end,
      baseline: disk.half,
      target: below('ratio', GROWTH),
      details: disk,
    },
  ]
  return lines.map((line) => judge({ scenario: 'siege', ...line }))
}
