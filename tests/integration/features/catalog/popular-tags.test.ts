import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { games } from '../../../../src/db/schema/games/games.ts'
import type { PopularTags } from '../../../../src/features/catalog/pages/model.ts'
import { loadPopularTags } from '../../../../src/features/catalog/pages/service.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { insertGame } from '../../../helpers/listings.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)

beforeAll(async () => {
  await publish(['cozy', 'co-op', 'stars'])
  await publish(['cozy', 'co-op'])
  await publish(['cozy', 'zen'])
  await publish(Array.from({ length: 20 }, (_, index) => `filler-${index}`))
  await publish(Array.from({ length: 20 }, (_, index) => `padding-${index}`))
  await publish(Array.from({ length: 20 }, (_, index) => `stuffing-${index}`))
  await insertGame(server, owner, { visibility: 'public', adult: true, tags: ['cozy', 'night'] })
  for (const visibility of ['draft', 'owner', 'invisible'] as const) {
    await insertGame(server, owner, { visibility, tags: ['cozy', 'secret'] })
  }
})

const publish = (tags: string[]) => insertGame(server, owner, { visibility: 'public', tags })

async function ask(query: string): Promise<PopularTags['tags']> {
  const { tags } = await readData<PopularTags>(await server.fetch(`/api/v1/public/tags/popular${query}`))
  return tags
}

describe('popular tags', () => {
  test('are the most used ones on public listings that are not adult, each with a count', async () => {
    expect((await ask('?limit=4')).slice(0, 2)).toEqual([
      { tag: 'cozy', count: 3 },
      { tag: 'co-op', count: 2 },
    ])
    for (const hidden of ['night', 'secret']) expect(await ask(`?prefix=${hidden}`)).toEqual([])
  })

  test.each([
    ['', 20],
    ['?limit=1', 1],
    ['?limit=50', 50],
    ['?limit=51', 50],
    ['?limit=999999', 50],
    ['?limit=0', 1],
    ['?limit=-5', 1],
    ['?limit=many', 20],
    ['?limit=', 20],
    ['?limit=3.9', 3],
  ])('%p answers with %i', async (query, length) => {
    expect(await ask(query)).toHaveLength(length)
  })

  test.each([
    ['co', ['cozy', 'co-op']],
    ['CO', ['cozy', 'co-op']],
    [' co ', ['cozy', 'co-op']],
    ['co_', ['co-op']],
    ['co o', ['co-op']],
    ['cozy', ['cozy']],
    ['cozyy', []],
    ['%', []],
    ['c%', []],
    ['_ozy', []],
    ['\\', []],
    ["' or 1=1", []],
    ['x'.repeat(5000), []],
  ])('the prefix %p is normalised as tags are', async (prefix, expected) => {
    const tags = await ask(`?prefix=${encodeURIComponent(prefix)}`)
    expect(tags.map(({ tag }) => tag)).toEqual(expected)
  })

  test('follow every edit', async () => {
    const { db } = server.deps
    const game = await publish(['moving', 'x', 'y'])
    const edits: [Partial<typeof games.$inferInsert>, number][] = [
      [{ name: 'Only renamed' }, 1],
      [{ visibility: 'draft' }, 0],
      [{ visibility: 'public' }, 1],
      [{ adult: true }, 0],
      [{ adult: false }, 1],
      [{ tags: ['y'] }, 0],
    ]
    for (const [values, expected] of edits) {
      await db.update(games).set(values).where(eq(games.uid, game.uid))
      const { tags } = await loadPopularTags(db, 'moving', 5)
      expect(tags).toEqual(expected === 0 ? [] : [{ tag: 'moving', count: expected }])
    }
  })

  test('are kept for seconds only, and limited', async () => {
    const answer = await server.fetch('/api/v1/public/tags/popular')
    expect(answer.headers.get('cache-control')).toBe('public, max-age=5, must-revalidate')
    expect(answer.headers.get('ratelimit-limit')).toBe('1200')
    const etag = answer.headers.get('etag') ?? ''
    const again = await server.fetch('/api/v1/public/tags/popular', { headers: { 'if-none-match': etag } })
    expect(again.status).toBe(304)
  })

  test('refuse a bad bearer', async () => {
    const headers = { authorization: 'Bearer nonsense' }
    const failure = await readFailure(await server.fetch('/api/v1/public/tags/popular', { headers }))
    expect(failure).toMatchObject({ status: 401, code: 4010 })
  })
})
