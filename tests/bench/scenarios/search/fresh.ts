import { join } from 'node:path'

import { INDEX_SETTINGS } from '../../../../src/clients/search/meilisearch/engine.ts'
import { ROOT, startServerProcess } from '../../environment.ts'
import { signInPublisher, timePublishing, until } from '../../publishing.ts'
import { judge, type Line, summarise } from '../../report/line.ts'
import { prepareCatalog } from '../../search-data.ts'
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

interface InstantMeilisearch extends AsyncDisposable {
  url: string
  /** Whether the document was sent and not removed since. */
  knows(uid: string): boolean
}

/** Accepts every document immediately and finds nothing, so that only Playshelf's own time is measured. */
function startInstantMeilisearch(): InstantMeilisearch {
  const documents = new Set<string>()
  let tasks = 0
  const take = () => {
    tasks += 1
    return Response.json({ taskUid: tasks, status: 'enqueued' }, { status: 202 })
  }
  const succeed = (uid: string) => ({ uid: Number(uid), status: 'succeeded', type: 'any', error: null })
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    routes: {
      '/stats': Response.json({}),
      '/indexes/:index/settings': { GET: () => Response.json(INDEX_SETTINGS), PATCH: take },
      '/indexes/:index/documents': async (request) => {
        for (const { uid } of (await request.json()) as { uid: string }[]) documents.add(uid)
        return take()
      },
      '/indexes/:index/documents/delete-batch': async (request) => {
        for (const uid of (await request.json()) as string[]) documents.delete(uid)
        return take()
      },
      '/tasks/:uid': (request) => Response.json(succeed(request.params.uid)),
      '/tasks': (request) => {
        const uids = new URL(request.url).searchParams.get('uids')?.split(',') ?? []
        return Response.json({ results: uids.map(succeed) })
      },
      '/multi-search': async (request) => {
        const { queries } = (await request.json()) as { queries: object[] }
        const empty = { hits: [], totalHits: 0, facetDistribution: {} }
        return Response.json({ results: queries.map(() => empty) })
      },
    },
    fetch: take,
  })
  return {
    url: server.url.origin,
    knows: (uid) => documents.has(uid),
    [Symbol.asyncDispose]: () => server.stop(true),
  }
}
