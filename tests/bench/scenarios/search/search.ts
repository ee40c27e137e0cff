import { join } from 'node:path'

import { createRandom, type Random } from '../../../../src/lib/random.ts'
import { readMemory } from '../../../helpers/processes/process-stats.ts'
import { pickCommon } from '../../../helpers/search/search-documents.ts'
import { type Environment, ROOT, startServerProcess } from '../../environment.ts'
import { judge, type Latency, type Line, summarise } from '../../report/line.ts'
import { inventFinds, inventSearches, prepareCatalog } from '../../search-data.ts'
import type { Scenario } from '../scenario.ts'

const [FEW, MANY] = [10_000, 100_000]
/** More than the server caches results for. */
const SEARCHES = 2000
/** Not measured: the JIT compiler is still warming up. */
const WARM_UP = 200
const VISITORS = 16
const CROWD_WARM_UP_SECONDS = 5
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
        scenario: 'search',
        measure: 'p95 latency, one at a time',
        unit: 'ms',
        subject: many.latency.p95,
        baseline: null,
        details: many,
        target: { of: 'subject', must: 'stay below', value: P95_MS },
      }),
      judge({
        scenario: 'search',
        measure: 'p95 latency of what a person types',
        unit: 'ms',
        subject: many.finds.p95,
        baseline: many.latency.p95,
        details: many.finds,
        target: { of: 'subject', must: 'stay below', value: P95_MS },
      }),
      judge({
        scenario: 'search',
        measure: 'requests per second',
        unit: 'req',
        subject: many.requestsPerSecond,
        baseline: null,
        target: { of: 'subject', must: 'reach', value: REQUESTS_PER_SECOND },
      }),
      judge({
        scenario: 'search',
        measure: `p95 at ${MANY} against ${FEW} listings`,
        unit: 'ms',
        subject: many.latency.p95,
        baseline: few.latency.p95,
        details: few,
        target: { of: 'ratio', must: 'stay below', value: GROWTH },
      }),
    ] satisfies Line[]
  },
}

interface Measured {
  latency: Latency
  /** Of what a person types. */
  finds: Latency
  /** The first search, which may wait until the index is loaded. */
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
    const firstMs = await timeRequest(`${server.url}/api/v1/public/search`, 0)
    const paths = await inventSearches(server.url, SEARCHES)
    const times: number[] = []
    for (const [at, path] of paths.entries()) times.push(await timeRequest(server.url + path, at))
    const finds: number[] = []
    for (const [at, path] of (await inventFinds(server.url, SEARCHES)).entries())
      finds.push(await timeRequest(server.url + path, at))
    return {
      latency: summarise(times.slice(WARM_UP)),
      finds: summarise(finds.slice(WARM_UP)),
      firstMs,
      requestsPerSecond: await measureCrowd(server.url, paths, environment.pace.seconds),
      peakRssMb: await readMemory(server.pid, 'VmHWM'),
    }
  } finally {
    await server.stop()
  }
}

/** Runs a warm-up first, until the common searches are cached. */
async function measureCrowd(url: string, paths: readonly string[], seconds: number): Promise<number> {
  const random = createRandom('crowd')
  await crowd(url, paths, random, CROWD_WARM_UP_SECONDS)
  return await crowd(url, paths, random, seconds)
}

/** Sends searches concurrently. As in real use, a few are common and most are rare. */
async function crowd(
  url: string,
  paths: readonly string[],
  random: Random,
  seconds: number,
): Promise<number> {
  const started = performance.now()
  const end = started + seconds * 1000
  let answered = 0
  const visit = async () => {
    while (performance.now() < end) {
      await timeRequest(url + pickCommon(random, paths), answered)
      answered += 1
    }
  }
  await Promise.all(Array.from({ length: VISITORS }, visit))
  return (answered * 1000) / (performance.now() - started)
}

/** Uses different addresses, to stay below the limits. */
async function timeRequest(url: string, number: number): Promise<number> {
  const started = performance.now()
  const headers = { 'x-forwarded-for': `10.9.${(number >> 4) & 255}.9` }
  const answer = await fetch(url, { headers })
  await answer.arrayBuffer()
  if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}`)
  return performance.now() - started
}
