import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { SearchAnswer } from '../../../src/features/catalog/search/model.ts'
import {
  isMeilisearchInstalled,
  MEILISEARCH_TEST_MS,
  type RunningMeilisearch,
  startMeilisearch,
} from '../../helpers/engines/meilisearch.ts'
import { readJson } from '../../helpers/json.ts'
import { type GameRow, insertPublicGame } from '../../helpers/listings.ts'
import { signUpOperator } from '../../helpers/operators.ts'
import { type Person, signUp, usernameOf } from '../../helpers/people.ts'
import { readCpuSeconds } from '../../helpers/processes/process-stats.ts'
import { namesOf, searchFor } from '../../helpers/search/search.ts'
import { startTestServer, type TestServer } from '../../helpers/server.ts'
import { waitFor, waitWhileProgressing } from '../../helpers/wait.ts'

setDefaultTimeout(MEILISEARCH_TEST_MS)

/** The server tries again after some seconds, the mirror too; a busy machine takes its time for both. */
const BACK_MS = 60_000

let server: TestServer
let owner: Person
let meilisearch: RunningMeilisearch

/** Through the interface, so that everything happens that happens after an edit. */
async function rename(game: GameRow, name: string): Promise<void> {
  const answer = await owner.json('PATCH', `/api/v1/private/games/${game.uid}`, { name })
  expect(answer.status).toBe(200)
}

async function publish(name: string): Promise<GameRow> {
  const game = await insertPublicGame(server, owner)
  await rename(game, name)
  return game
}

async function waitUntilFound(name: string, engine: 'meilisearch' | 'postgres'): Promise<void> {
  await waitForSearch(`"${name}" is found by ${engine}`, { q: name }, (answer) => {
    return answer.engine === engine && namesOf(answer).includes(name)
  })
}

/** On a busy machine an answer may come too late, and then from Postgres. */
async function searchByMeilisearch(query: Record<string, string>): Promise<SearchAnswer> {
  return await waitForSearch('Meilisearch answers', query, ({ engine }) => engine === 'meilisearch')
}

/** Waits as long as Meilisearch works on something. */
async function waitForSearch(
  what: string,
  query: Record<string, string>,
  fits: (answer: SearchAnswer) => boolean,
): Promise<SearchAnswer> {
  const ask = async () => {
    const answer = await searchFor(server, query)
    return fits(answer) && answer
  }
  // One that is stopped makes no progress.
  const readProgress = () => readCpuSeconds(meilisearch.pid).catch(() => 0)
  return await waitWhileProgressing(what, ask, readProgress, BACK_MS)
}

describe.skipIf(!isMeilisearchInstalled() && process.env.REQUIRE_ENGINES !== '1')('Meilisearch', () => {
  let dir: string
  let kept: GameRow
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'meilisearch-test-'))
    meilisearch = await startMeilisearch(join(dir, 'first'))
    server = await startTestServer({
      TRUST_PROXY: '1',
      ROLE: 'all',
      MEILI_URL: meilisearch.url,
      MEILI_KEY: meilisearch.key,
    })
    owner = await signUp(server)
    kept = await publish('Kept lantern')
    await waitUntilFound('Kept lantern', 'meilisearch')
  })
  afterAll(async () => {
    await server.stop()
    await meilisearch.stop()
    await rm(dir, { recursive: true, force: true })
  })

  test('answers, and learns of changes', async () => {
    const game = await publish('Glass harbour')
    await waitUntilFound('Glass harbour', 'meilisearch')
    await rename(game, 'Paper harbour')
    await waitUntilFound('Paper harbour', 'meilisearch')
    const hidden = await owner.json('PUT', `/api/v1/private/games/${game.uid}/visibility`, {
      visibility: 'invisible',
    })
    expect(hidden.status).toBe(200)
    expect(namesOf(await searchFor(server, { q: 'paper harbour' }))).toEqual([])
    await waitForSearch('the count follows', { q: 'paper' }, ({ total }) => total === 0)
  })

  test('finds what people type, and learns the operators’ words; until then Postgres answers', async () => {
    await publish('Velvet teapot')
    await waitUntilFound('Velvet teapot', 'meilisearch')
    const username = await usernameOf(owner)
    const byDeveloper = await searchByMeilisearch({ find: `${username} teapot` })
    expect(namesOf(byDeveloper)).toEqual(['Velvet teapot'])
    const operator = await signUpOperator(server)
    const body = { synonyms: [['samovar', 'teapot']] }
    expect((await operator.json('PATCH', '/api/v1/operator/settings', body)).status).toBe(200)
    expect(namesOf(await searchFor(server, { find: 'samovar' }))).toEqual(['Velvet teapot'])
    await waitForSearch('Meilisearch knows the word', { find: 'samovar' }, (answer) => {
      expect(namesOf(answer)).toEqual(['Velvet teapot'])
      return answer.engine === 'meilisearch'
    })
    expect((await searchByMeilisearch({ q: 'samovar' })).total).toBe(0)
  })

  test('killed in the middle, searches go on; what changed meanwhile is found once it is back', async () => {
    let isOver = false
    const engines = new Set<string>()
    const searching = (async () => {
      while (!isOver) {
        const answer = await searchFor(server, { q: 'kept lantern' })
        expect(namesOf(answer)).toEqual(['Kept lantern'])
        engines.add(answer.engine)
      }
    })()
    await meilisearch.stop()
    const game = await publish('Copper owl')
    await waitUntilFound('Copper owl', 'postgres')
    await rename(game, 'Silver owl')
    await waitUntilFound('Silver owl', 'postgres')
    const ready = await readJson<{ data: { status: string } }>(await server.fetch('/ready'))
    expect(ready.data.status).toBe('degraded')

    meilisearch = await startMeilisearch(join(dir, 'first'), { port: meilisearch.port })
    await waitUntilFound('Silver owl', 'meilisearch')
    expect(namesOf(await searchFor(server, { q: 'copper owl' }))).toEqual([])
    await waitFor('both have answered', () => engines.size === 2)
    isOver = true
    await searching
    expect([...engines].toSorted()).toEqual(['meilisearch', 'postgres'])
  })

  test('stopped without a word, Postgres answers in its place within the same request', async () => {
    meilisearch.pause()
    try {
      for (let round = 0; round < 5; round += 1) {
        const answer = await searchFor(server, { q: 'kept lantern' })
        expect(answer).toMatchObject({ engine: 'postgres', total: 1 })
      }
    } finally {
      meilisearch.resume()
    }
    await waitUntilFound('Kept lantern', 'meilisearch')
  })

  test('come back without its data, it is filled again before it answers', async () => {
    await meilisearch.stop()
    await waitUntilFound('Kept lantern', 'postgres')
    meilisearch = await startMeilisearch(join(dir, 'second'), { port: meilisearch.port })
    await rename(kept, 'Found lantern')
    await waitForSearch('Meilisearch answers again', { q: 'lantern' }, (answer) => {
      expect(answer.total).toBe(1)
      return answer.engine === 'meilisearch'
    })
    expect(namesOf(await searchFor(server, { q: 'lantern' }))).toEqual(['Found lantern'])
  })

  test.each([['"'], ['\\'], ["'"], ['["'], ['-'], ['\\" OR adult = true OR tags = "']])(
    'gets a value as it was sent: %s',
    async (odd) => {
      const found = await searchByMeilisearch({ q: 'lantern', tags: odd, engine: odd, renderer: odd })
      expect(found.total).toBe(0)
      expect((await searchByMeilisearch({ q: 'lantern', exclude_tags: odd, tone: odd })).total).toBe(1)
      expect((await searchByMeilisearch({ q: `${odd} lantern` })).total).toBe(odd.includes('adult') ? 0 : 1)
    },
  )
})
