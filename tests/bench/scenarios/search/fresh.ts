import { join } from 'node:path'

import { ROOT } from '../../environment.ts'
import { startInstantMeilisearch } from '../../instant-meilisearch.ts'
import { signInPublisher, timePublishing, until } from '../../publishing.ts'
import { judge, type Line } from '../../report/line.ts'
import { summarise } from '../../report/statistics.ts'
import { prepareCatalog } from '../../search-data.ts'
import { startServerProcess } from '../../server-process.ts'
import type { Scenario } from '../scenario.ts'

const LISTINGS = 10_000
const PAGES = 100
const FOUND_MS = 1000
const OWN_SHARE_MS = 200

export const searchFresh: Scenario = {
  name: 'search-fresh',
  about: `from publishing a page to finding it, among ${LISTINGS.toLocaleString('en')} listings`,
  async run(environment) {
    const settings = { ...(await prepareCatalog(environment, LISTINGS)), ROLE: 'all' }
    return [await measureFound(settings), await measureTold(settings)]
  },
}

/** With the Postgres engine: the time until a search shows the page. */
async function measureFound(settings: Record<string, string>): Promise<Line> {
  const server = await start(settings)
  try {
    return toLine('p95 from publishing to finding', await timePublishing(server.url, PAGES), FOUND_MS)
  } finally {
    await server.stop()
  }
}

/** With an instant Meilisearch: the time until it is notified, which is Playshelf's own share. */
async function measureTold(settings: Record<string, string>): Promise<Line> {
  await using instant = startInstantMeilisearch()
  const server = await start({ ...settings, MEILI_URL: instant.url })
  try {
    const publisher = await signInPublisher(server.url)
    const times: number[] = []
    while (times.length < PAGES) {
      const page = publisher.next()
      await until(() => instant.knows(page.uid))
      await publisher.hide(page)
      await until(() => !instant.knows(page.uid))
      await publisher.publish(page)
      const started = performance.now()
      await until(() => instant.knows(page.uid))
      times.push(performance.now() - started)
    }
    return toLine('p95 from publishing to telling Meilisearch', times, OWN_SHARE_MS)
  } finally {
    await server.stop()
  }
}

function start(settings: Record<string, string>) {
  const command = [process.execPath, join(ROOT, 'src/main.ts'), 'serve']
  return startServerProcess({ command, path: '/health', env: settings })
}

function toLine(measure: string, times: readonly number[], limitMs: number): Line {
  const latency = summarise(times)
  return judge({
    scenario: 'search-fresh',
    measure,
    unit: 'ms',
    subject: latency.p95,
    baseline: null,
    target: { of: 'subject', must: 'stay below', value: limitMs },
    details: latency,
  })
}
