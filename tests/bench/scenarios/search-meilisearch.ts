import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { type MeilisearchIndex, openMeilisearch } from '../../../src/clients/search/meilisearch.ts'
import type { SearchDocument } from '../../../src/clients/search/search-engine.ts'
import { readQuery } from '../../../src/features/search/query.ts'
import { createDice, type Dice } from '../../../src/lib/dice.ts'
import { installMeilisearch, startMeilisearch } from '../../helpers/engines/meilisearch.ts'
import { makeRandomDocument, makeWords, pickCommon } from '../../helpers/search-documents.ts'
import { judge, type Line } from '../line.ts'
import { summarise } from '../statistics.ts'
import type { Scenario } from './scenario.ts'

const LISTINGS = 100_000
const BATCH = 2000
const SEARCHES = 1000
const CHANGES = 50
/** Longer ones are failures to the server; here they are figures. */
const TIMEOUT_MS = 30_000

const catalog = {
  words: makeWords('bench', 20_000),
  tags: makeWords('bench tags', 1500),
  length: 60,
}

export const searchMeilisearch: Scenario = {
  name: 'search-meili',
  about: `the Meilisearch engine with ${LISTINGS.toLocaleString('en')} listings: mixed searches, changes, a rebuild`,
  async run() {
    if (!(await installMeilisearch())) throw new Error('Meilisearch does not run on this machine')
    const dir = await mkdtemp(join(tmpdir(), 'playshelf-bench-meilisearch-'))
    const meilisearch = await startMeilisearch(dir)
    try {
      const index = openMeilisearch(meilisearch, 'bench', TIMEOUT_MS)
      return [await measureRebuild(index), await measureSearches(index), await measureChanges(index)]
    } finally {
      await meilisearch.stop()
      await rm(dir, { recursive: true, force: true })
    }
  },
}

async function* makeBatches(): AsyncGenerator<SearchDocument[]> {
  const dice = createDice('bench catalog')
  for (let start = 0; start < LISTINGS; start += BATCH) {
    yield Array.from({ length: BATCH }, (_, at) => makeRandomDocument(dice, start + at, catalog))
  }
}

async function measureRebuild(index: MeilisearchIndex): Promise<Line> {
  const started = performance.now()
  await index.rebuild(makeBatches())
  return judge({
    scenario: 'search-meili',
    measure: 'rebuild, listings per second',
    unit: 'listings',
    subject: LISTINGS / ((performance.now() - started) / 1000),
    baseline: null,
  })
}

/** As the route asks: with all facets. */
async function measureSearches(index: MeilisearchIndex): Promise<Line> {
  const dice = createDice('bench searches')
  const times: number[] = []
  for (let sent = 0; sent < SEARCHES; sent += 1) {
    const parameters = new URLSearchParams(inventSearch(dice))
    const { query } = readQuery((name) => parameters.getAll(name), false)
    const started = performance.now()
    await index.search(query)
    times.push(performance.now() - started)
  }
  const latency = summarise(times)
  return judge({
    scenario: 'search-meili',
    measure: 'p95 latency of a search',
    unit: 'ms',
    subject: latency.p95,
    baseline: null,
    target: { of: 'subject', must: 'stay below', value: 50 },
    details: latency,
  })
}

/** A word, two, the beginning of one, a typo; filters; turning pages. */
function inventSearch(dice: Dice): Record<string, string> {
  const word = pickCommon(dice, catalog.words)
  const tags = [pickCommon(dice, catalog.tags), pickCommon(dice, catalog.tags)]
  return dice.pick<() => Record<string, string>>([
    () => ({ q: word }),
    () => ({ q: `${word} ${pickCommon(dice, catalog.words)}` }),
    () => ({ q: word.slice(0, 3) }),
    () => ({ q: `${word.slice(1, 2)}${word.slice(0, 1)}${word.slice(2)}` }),
    () => ({ q: word, genres: 'puzzle', os: 'linux', arch: 'x86_64' }),
    () => ({ tags: tags.join(','), exclude_genres: 'horror' }),
    () => ({ sort: dice.pick(['newest', 'updated']), page: String(1 + dice.below(50)) }),
    () => ({ engine: 'godot', engine_version: '4.2', players: '4' }),
  ])()
}

async function measureChanges(index: MeilisearchIndex): Promise<Line> {
  const dice = createDice('bench changes')
  const times: number[] = []
  for (let sent = 0; sent < CHANGES; sent += 1) {
    const document = makeRandomDocument(dice, dice.below(LISTINGS), catalog)
    const started = performance.now()
    await index.upsert([document])
    await index.settled()
    times.push(performance.now() - started)
  }
  const latency = summarise(times)
  return judge({
    scenario: 'search-meili',
    measure: 'p95 from a change to finding it',
    unit: 'ms',
    subject: latency.p95,
    baseline: null,
    target: { of: 'subject', must: 'stay below', value: 1000 },
    details: latency,
  })
}
