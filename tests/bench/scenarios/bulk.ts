import { join } from 'node:path'

import { inventListing } from '../../../src/demo/bulk/listing.ts'
import { ROOT } from '../environment.ts'
import { judge, type Line } from '../line.ts'
import { createCatalogSettings, inventSearchesFor, runCommand } from '../search-data.ts'
import { startServerProcess } from '../server-process.ts'
import { summarise } from '../statistics.ts'
import type { Scenario } from './scenario.ts'

const LISTINGS = Number(process.env['BENCH_BULK_LISTINGS'] ?? 20_000)
const PER_SECOND = 5000
const SEARCHES_PER_SECOND = 20
const SEARCHES = 800
const P95_MS = 100

export const bulk: Scenario = {
  name: 'bulk',
  about: `loading and indexing ${LISTINGS.toLocaleString('en')} listings (BENCH_BULK_LISTINGS sets how many)`,
  async run(environment) {
    const settings = await createCatalogSettings(environment)
    // The pictures of the demo pages are painted once, and not measured.
    await runCommand(settings, 'demo')
    const loadedMs = await time(() => runCommand(settings, 'demo', '--count', String(LISTINGS)))
    const server = await startServerProcess({
      command: [process.execPath, join(ROOT, 'src/main.ts'), 'serve'],
      path: '/health',
      env: settings,
    })
    try {
      const end = new AbortController()
      const searching = search(server.url, end.signal)
      const indexedMs = await time(() => runCommand(settings, 'reindex'))
      end.abort()
      const latency = summarise(await searching)
      const againMs = await time(() => runCommand(settings, 'reindex'))
      return [
        toSpeed('made-up listings loaded per second', loadedMs),
        toSpeed('listings indexed per second, from nothing, while searches run', indexedMs),
        toSpeed('listings compared per second when nothing changed', againMs),
        judge({
          ...{ scenario: 'bulk', measure: 'p95 of a search meanwhile', unit: 'ms', baseline: null },
          ...{ subject: latency.p95, details: latency },
          target: { of: 'subject', must: 'stay below', value: P95_MS },
        }),
      ]
    } finally {
      await server.stop()
    }
  },
}

async function time(work: () => Promise<void>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

/** Typical searches at a steady rate. */
async function search(url: string, end: AbortSignal): Promise<number[]> {
  const listings = Array.from({ length: 1000 }, (_, number) => {
    const { name, tagline = '', tags = [] } = inventListing(number, new Date()).row
    return { name, tagline, taxonomy: { tags } }
  })
  const paths = inventSearchesFor(listings, SEARCHES)
  const times: number[] = []
  for (let count = 0; !end.aborted; count += 1) {
    const started = performance.now()
    const headers = { 'x-forwarded-for': `10.5.${(count >> 4) & 255}.5` }
    const answer = await fetch(url + (paths[count % paths.length] ?? ''), { headers })
    await answer.arrayBuffer()
    if (answer.status !== 200) throw new Error(`A search answered ${answer.status}`)
    times.push(performance.now() - started)
    await Bun.sleep(Math.max(0, 1000 / SEARCHES_PER_SECOND - (performance.now() - started)))
  }
  return times
}

function toSpeed(measure: string, elapsedMs: number): Line {
  return judge({
    ...{ scenario: 'bulk', measure, unit: 'listings', baseline: null },
    ...{ subject: (LISTINGS * 1000) / elapsedMs, details: { listings: LISTINGS, seconds: elapsedMs / 1000 } },
    target: { of: 'subject', must: 'reach', value: PER_SECOND },
  })
}
