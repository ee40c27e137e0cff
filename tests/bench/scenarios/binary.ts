import { join } from 'node:path'

import { readMemory } from '../../helpers/processes/process-stats.ts'
import {
  type Environment,
  type ServerOptions,
  type ServerProcess,
  SERVERS,
  startServerProcess,
} from '../environment.ts'
import { judge, median } from '../report/line.ts'
import type { Scenario } from './scenario.ts'

const STARTS = 7
/** Lets background work of a start finish before the next one, and shows that the process stays alive. */
const SETTLE_MS = 500
const REQUESTS = 200
const IDLE_MS = 5000
const PATHS = ['/health', '/ready', '/api/v1/private/me', '/nothing-here'] as const
const BARE: ServerOptions = { command: [process.execPath, join(SERVERS, 'bare-bun.ts')], path: '/' }

export const start: Scenario = {
  name: 'start',
  about: 'compiled binary from start to first answer on a ready Postgres; a bare Bun.serve script beside it',
  async run(environment) {
    const [api, all] = [await binaryServer(environment, 'api'), await binaryServer(environment, 'all')]
    const times: Record<'api' | 'all' | 'bare', number[]> = { api: [], all: [], bare: [] }
    // Warm-up: the first start reads the file from disk.
    await measureStart(api)
    for (let done = 0; done < STARTS; done += 1) {
      times.bare.push(await measureStart(BARE))
      times.api.push(await measureStart(api))
      times.all.push(await measureStart(all))
    }
    return (['api', 'all'] as const).map((role) =>
      judge({
        scenario: 'start',
        measure: `start to first answer, ROLE=${role}`,
        unit: 'ms',
        subject: median(times[role]),
        baseline: median(times.bare),
        target: { of: 'subject', must: 'stay below', value: 200 },
        details: { startsMs: times[role], baselineMs: times.bare },
      }),
    )
  },
}

export const idleMemory: Scenario = {
  name: 'idle-memory',
  about: `RSS of the compiled binary ${IDLE_MS / 1000} s after start and ${REQUESTS} requests; a bare Bun.serve beside it`,
  async run(environment) {
    const subject = await measureIdle(await binaryServer(environment, 'api'), PATHS)
    const baseline = await measureIdle(BARE, ['/'])
    return [
      judge({
        scenario: 'idle-memory',
        measure: 'idle RSS, ROLE=api',
        unit: 'MB',
        subject: subject.rssMb,
        baseline: baseline.rssMb,
        target: { of: 'subject', must: 'stay below', value: 85 },
        details: { subject, baseline },
      }),
    ]
  },
}

async function binaryServer(environment: Environment, role: string): Promise<ServerOptions> {
  const command = [await environment.binary(), 'serve']
  return { command, path: '/health', env: await environment.settings({ ROLE: role }) }
}

async function measureStart(options: ServerOptions): Promise<number> {
  const server = await startServerProcess(options)
  await Bun.sleep(SETTLE_MS)
  await server.stop()
  return server.startMs
}

async function measureIdle(options: ServerOptions, paths: readonly string[]) {
  const server = await startServerProcess(options)
  try {
    const started = performance.now()
    for (let done = 0; done < REQUESTS; done += 1) await request(server, paths[done % paths.length] ?? '/')
    await Bun.sleep(Math.max(0, started + IDLE_MS - performance.now()))
    return {
      rssMb: await readMemory(server.pid, 'VmRSS'),
      peakRssMb: await readMemory(server.pid, 'VmHWM'),
    }
  } finally {
    await server.stop()
  }
}

async function request(server: ServerProcess, path: string): Promise<void> {
  await (await fetch(server.url + path)).arrayBuffer()
}
