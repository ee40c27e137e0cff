import { join } from 'node:path'

import { besiege } from '../../faults/hostile/siege.ts'
import { prepareTarget } from '../../faults/hostile/target.ts'
import { ROOT } from '../environment.ts'
import { judge } from '../line.ts'
import { prepareCatalog } from '../search-data.ts'
import { startServerProcess } from '../server-process.ts'
import { summarise } from '../statistics.ts'
import type { Scenario } from './scenario.ts'

const LISTINGS = 2000
const SECONDS = 60
const QUIET_SECONDS = 15
const CONNECTIONS = 24
const SLOWER = 5
/** Relative to the memory halfway through: later growth is caused by the attacks. */
const GROWTH = 1.25

export const siege: Scenario = {
  name: 'siege',
  about: `honest visitors beside ${CONNECTIONS} connections of attacks for ${SECONDS} s`,
  async run(environment) {
    const settings = await prepareCatalog(environment, LISTINGS)
    const server = await startServerProcess({
      command: [process.execPath, join(ROOT, 'src/main.ts'), 'serve'],
      path: '/health',
      env: settings,
    })
    try {
      const { url, pid } = server
      const target = await prepareTarget({ url, pid, databaseUrl: settings.DATABASE_URL ?? '' })
      const report = await besiege(target, {
        ...{ seconds: SECONDS, quietSeconds: QUIET_SECONDS, connections: CONNECTIONS, seed: Date.now() },
      })
      const { quiet, besieged, enemy, memory, longestWait, stuckConnections } = report
      const failures = [...quiet.failures, ...besieged.failures, ...enemy.faults]
      if (failures.length > 0) throw new Error(failures.slice(0, 5).join('\n'))
      if (stuckConnections > 0) throw new Error(`${stuckConnections} connections are stuck in a transaction`)
      return [
        judge({
          ...{ scenario: 'siege', measure: 'p95 of honest visitors, against the quiet time', unit: 'ms' },
          ...{ subject: summarise(besieged.times).p95, baseline: summarise(quiet.times).p95 },
          target: { of: 'ratio', must: 'stay below', value: SLOWER },
          details: { enemy, longestWait, requests: besieged.times.length },
        }),
        judge({
          ...{ scenario: 'siege', measure: 'memory at the end, against halfway', unit: 'MB' },
          ...{ subject: memory.end, baseline: memory.half },
          target: { of: 'ratio', must: 'stay below', value: GROWTH },
          details: memory,
        }),
      ]
    } finally {
      await server.stop()
    }
  },
}
