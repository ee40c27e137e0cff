import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { MeilisearchSettings } from '../../../../src/clients/search/meilisearch/engine.ts'
import { toQuestions } from '../../../../src/clients/search/meilisearch/query.ts'
import { parseQuery } from '../../../../src/features/catalog/search/query.ts'
import { SearchRequest } from '../../../../src/features/catalog/search/request.ts'
import { createRandom } from '../../../../src/lib/random.ts'
import { startMeilisearch } from '../../../helpers/engines/meilisearch.ts'
import { pickCommon } from '../../../helpers/search/search-documents.ts'
import { ROOT, startServerProcess } from '../../environment.ts'
import { measureEveryday } from '../../everyday.ts'
import { timePublishing } from '../../publishing.ts'
import { judge, type Latency, type Line, summarise } from '../../report/line.ts'
import { inventSearches, prepareCatalog } from '../../search-data.ts'
import type { Scenario } from '../scenario.ts'

const LISTINGS = 100_000
const SEARCHES = 800
const PAGES = 30
const INDEX = 'playshelf'

export const searchMeilisearch: Scenario = {
  name: 'search-meili',
  about: `searches by Meilisearch among ${LISTINGS.toLocaleString('en')} listings, against asking it directly`,
  engines: ['meilisearch'],
  async run(environment) {
    await using cleanup = new AsyncDisposableStack()
    const dir = await mkdtemp(join(tmpdir(), 'playshelf-bench-meilisearch-'))
    cleanup.defer(() => rm(dir, { recursive: true, force: true }))
    const meilisearch = await startMeilisearch(dir)
    cleanup.defer(() => meilisearch.stop())
    const more = { ROLE: 'all', MEILI_URL: meilisearch.url, MEILI_KEY: meilisearch.key ?? '' }
    const env = await prepareCatalog(environment, LISTINGS, more)
    const server = await startServerProcess({
      command: [process.execPath, join(ROOT, 'src/main.ts'), 'serve'],
      path: '/health',
      env,
    })
    cleanup.defer(() => server.stop())
    return [
      ...(await measureSearches(server.url, meilisearch)),
      await measureEveryday('search-meili', {
        url: server.url,
        databaseUrl: env['DATABASE_URL'] ?? '',
        engine: 'meilisearch',
      }),
      await measurePublishing(server.url),
    ]
  },
}

/** Measures new searches first, then a realistic mix: a few are common and most are rare. */
async function measureSearches(url: string, meilisearch: MeilisearchSettings): Promise<Line[]> {
  const paths = await inventSearches(url, SEARCHES)
  const random = createRandom('meilisearch')
  const first = await timeBoth(url, meilisearch, paths)
  const usual = await timeBoth(
    url,
    meilisearch,
    Array.from({ length: SEARCHES }, () => pickCommon(random, paths)),
  )
  return [
    judge({
      scenario: 'search-meili',
      measure: 'p50 of a search',
      unit: 'ms',
      details: usual,
      subject: usual.ours.p50,
      baseline: usual.raw.p50,
      target: { of: 'ratio', must: 'stay below', value: 1.3 },
    }),
    judge({
      scenario: 'search-meili',
      measure: 'p50 added to the engine’s time',
      unit: 'ms',
      subject: usual.added.p50,
      baseline: null,
      target: { of: 'subject', must: 'stay below', value: 5 },
    }),
    judge({
      scenario: 'search-meili',
      measure: 'p50 added to a search that is new',
      unit: 'ms',
      subject: first.added.p50,
      baseline: null,
      details: first,
    }),
  ]
}

interface Both {
  ours: Latency
  raw: Latency
  added: Latency
}

/** Sends each search through the server and directly to the engine, alternating the order. */
async function timeBoth(
  url: string,
  meilisearch: MeilisearchSettings,
  paths: readonly string[],
): Promise<Both> {
  const [ours, raw]: [number[], number[]] = [[], []]
  for (const [number, path] of paths.entries()) {
    const turns = [
      async () => ours.push(await timeServer(url + path, number)),
      async () => raw.push(await timeEngine(meilisearch, path)),
    ]
    for (const turn of number % 2 === 0 ? turns : turns.toReversed()) await turn()
  }
  const added = ours.map((ms, number) => ms - (raw[number] ?? 0))
  return { ours: summarise(ours), raw: summarise(raw), added: summarise(added) }
}

/** Uses different addresses, to stay below the limits. */
async function timeServer(url: string, number: number): Promise<number> {
  const headers = { 'x-forwarded-for': `10.7.${(number >> 4) & 255}.9` }
  const started = performance.now()
  const answer = await fetch(url, { headers })
  const { data } = (await answer.json()) as { data: { engine: string } }
  if (data.engine !== 'meilisearch') throw new Error(`${url} was answered by ${data.engine}`)
  return performance.now() - started
}

async function timeEngine({ url, key }: MeilisearchSettings, path: string): Promise<number> {
  const sent = new URL(path, url).searchParams
  const { questions } = toQuestions(parseQuery(SearchRequest.parse(sent), false).query)
  const body = JSON.stringify({ queries: questions.map((question) => ({ ...question, indexUid: INDEX })) })
  const headers = {
    'accept-encoding': 'identity',
    'content-type': 'application/json',
    ...(key !== null && { authorization: `Bearer ${key}` }),
  }
  const started = performance.now()
  const answer = await fetch(`${url}/multi-search`, { method: 'POST', headers, body })
  await answer.json()
  if (!answer.ok) throw new Error(`Meilisearch answered ${answer.status}`)
  return performance.now() - started
}

async function measurePublishing(url: string): Promise<Line> {
  const latency = summarise(await timePublishing(url, PAGES))
  return judge({
    scenario: 'search-meili',
    measure: 'p95 from publishing to finding',
    unit: 'ms',
    subject: latency.p95,
    baseline: null,
    details: latency,
    target: { of: 'subject', must: 'stay below', value: 1000 },
  })
}
