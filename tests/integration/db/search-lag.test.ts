import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { searchChanges, searchMirrors } from '../../../src/db/schema/search.ts'
import { createUid } from '../../../src/lib/ids.ts'
import { readJson } from '../../helpers/json.ts'
import { type LoggedServer, startLoggedServer } from '../../helpers/processes/logged-server.ts'
import { waitFor } from '../../helpers/wait.ts'

interface Ready {
  data: { status: string; services: { name: string; status: string }[] }
}

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000)

async function readState(server: LoggedServer) {
  const { data } = await readJson<Ready>(await server.fetch('/ready'))
  const text = await (await fetch(server.metricsUrl)).text()
  const lag = /^playshelf_search_lag_seconds (\S+)$/m.exec(text)?.[1]
  return {
    ready: data.status,
    search: data.services.find((service) => service.name === 'search')?.status,
    lag: Math.round(Number(lag)),
  }
}

/** Figures are kept for some seconds, so each case has a server of its own. */
describe.each([
  ['nothing waits', async () => undefined, { ready: 'ready', search: 'up', lag: 0 }],
  [
    'a change waits for less than a minute',
    (server: LoggedServer) => insertChange(server, 0.5),
    { ready: 'ready', search: 'up', lag: 30 },
  ],
  [
    'a change waits for more than a minute',
    (server: LoggedServer) => insertChange(server, 3),
    { ready: 'degraded', search: 'down', lag: 180 },
  ],
  [
    'an engine that is not configured is behind',
    (server: LoggedServer) => insertMirror(server, 3),
    { ready: 'ready', search: 'up', lag: 0 },
  ],
] as const)('when %s', (_, prepare, expected) => {
  let server: LoggedServer
  beforeAll(async () => {
    server = await startLoggedServer({ METRICS_PORT: '0' })
    await prepare(server)
  })
  afterAll(() => server.stop())

  test(`search is ${expected.search}`, async () => {
    // A figure that is not read in time is left out, and a late service is down, as on a busy machine.
    const { lag } = await waitFor(`${expected.ready}, search ${expected.search}`, async () => {
      const read = await readState(server)
      const isExpected = read.ready === expected.ready && read.search === expected.search
      return isExpected && !Number.isNaN(read.lag) && read
    })
    expect(Math.abs(lag - expected.lag)).toBeLessThan(20)
  })
})

test('a lag that cannot be read is not taken for none', async () => {
  await using cleanup = new AsyncDisposableStack()
  const server = await startLoggedServer({ METRICS_PORT: '0' })
  cleanup.defer(() => server.stop())
  await server.deps.db.execute('alter table search_mirrors rename to lost')
  await waitFor('degraded, search down', async () => {
    const { ready, search } = await readState(server)
    return ready === 'degraded' && search === 'down'
  })
})

async function insertChange(server: LoggedServer, minutes: number): Promise<void> {
  const createdAt = minutesAgo(minutes)
  await server.deps.db.insert(searchChanges).values([
    { gameUid: createUid(), createdAt },
    { gameUid: createUid(), createdAt: new Date() },
  ])
}

async function insertMirror(server: LoggedServer, minutes: number): Promise<void> {
  await server.deps.db
    .insert(searchMirrors)
    .values({ engine: 'meilisearch', version: 1, behindSince: minutesAgo(minutes) })
}
