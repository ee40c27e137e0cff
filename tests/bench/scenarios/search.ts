import { join } from 'node:path'

import { type Environment, ROOT } from '../environment.ts'
import { judge, type Line } from '../line.ts'
import { sendLoad } from '../load.ts'
import { readMemory } from '../process-stats.ts'
import { inventSearches, prepareCatalog } from '../search-data.ts'
import { startServerProcess } from '../server-process.ts'
import { type Latency, summarise } from '../statistics.ts'
import type { Scenario } from './scenario.ts'

const [FEW, MANY] = [10_000, 100_000]
/** More than the server keeps the results of. */
const SEARCHES = 1000
const P95_MS = 50
const REQUESTS_PER_SECOND = 300
const GROWTH = 4

export const search: Scenario = {
  name: 'search',
  about: `words, typos, filters and pages among ${MANY.toLocaleString('en')} listings, and how it grows`,
  async run(environment) {
    const few = await measure(environment, FEW)
    const many = await measure(environment, MANY)
    return [
      judge({
        ...{ scenario: 'search', measure: 'p95 latency, one at a time', unit: 'ms' },
        ...{ subject: many.latency.p95, baseline: null, details: many },
        target: { of: 'subject', must: 'stay below', value: P95_MS },
      }),
      judge({
        ...{ scenario: 'search', measure: 'requests per second', unit: 'req' },
        ...{ subject: many.requestsPerSecond, baseline: null },
        target: { of: 'subject', must: 'reach', value: REQUESTS_PER_SECOND },
      }),
      judge({
        ...{ scenario: 'search', measure: `p95 at ${MANY} against ${FEW} listings`, unit: 'ms' },
        ...{ subject: many.latency.p95, baseline: few.latency.p95, details: few },
        target: { of: 'ratio', must: 'stay below', value: GROWTH },
      }),
    ] satisfies Line[]
  },
}

interface Measured {
  latency: Latency
  /** The first search, which reads the index. */
  firstMs: number
  requestsPerSecond: number
  peakRssMb: number
}

async function measure(environment: Environment, count: number): Promise<Measured> {
  const server = await startServerProcess({
    command: [process.execPath, join(ROOT, 'src/main.ts'), 'serve'],
    path: '/health',
    env: await prepareCatalog(environment, count),
  })
  try {
    const firstMs = await timeRequest(`${server.url}/api/v1/public/search`)
    const paths = await inventSearches(server.url, SEARCHES)
    const times: number[] = []
    for (const path of paths) times.push(await timeRequest(server.url + path))
    const addresses = Array.from({ length: 64 }, (_, at) => `10.9.8.${at}`)
    const variants = paths.map((path, at) => ({
      path,
      headers: { 'x-forwarded-for': addresses[at % addresses.length] ?? '' },
    }))
    const load = await sendLoad({ url: server.url, variants, status: 200 }, environment.pace.seconds)
    return {
      latency: summarise(times.slice(times.length / 10)),
      firstMs,
      requestsPerSecond: load.requestsPerSecond,
      peakRssMb: await readMemory(server.pid, 'VmHWM'),
    }
  } finally {
    await server.stop()
  }
}

async function timeRequest(url: string): Promise<number> {
  const started = performance.now()
  const answer = await fetch(url, { headers: { 'x-forwarded-for': '10.9.9.9' } })
  await answer.arrayBuffer()
  if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}`)
  return performance.now() - started
}
