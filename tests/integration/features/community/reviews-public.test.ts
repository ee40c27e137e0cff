import { beforeAll, describe, expect, test } from 'bun:test'

import { users } from '../../../../src/db/schema/accounts.ts'
import { reviews } from '../../../../src/db/schema/games/game-players.ts'
import { oldVanityNames } from '../../../../src/db/schema/games/games.ts'
import { createUid } from '../../../../src/lib/ids.ts'
import { traceQueries } from '../../../../src/lib/tracing/tracing.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import {
  insertGame,
  insertLicense,
  insertPublicGame,
  setPlayMinutes,
  verifyEmail,
} from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
let owner: Person
beforeAll(async () => {
  owner = await signUp(server)
})

interface Reviews {
  items: { username: string; rating: number; text: string; play_minutes: number }[]
  total: number
  average: number | null
  count: number
}

const pathOf = (ref: string) => `/api/v1/public/games/${ref}/reviews`
const read = async (ref: string, query = '') =>
  await readData<Reviews>(await server.fetch(pathOf(ref) + query))

/** One review a day, each by somebody else. */
async function insertReviews(gameUid: string, ratings: readonly number[]): Promise<string[]> {
  const people = ratings.map(() => {
    const id = createUid()
    return { id, name: 'Reader', email: `${id}@example.org`, username: `reader-${id.slice(-8)}` }
  })
  await server.deps.db.insert(users).values(people)
  await server.deps.db.insert(reviews).values(
    people.map(({ id }, index) => ({
      gameUid,
      userUid: id,
      rating: ratings[index] ?? 1,
      text: `Review ${index + 1}`,
      createdAt: new Date(Date.UTC(2026, 0, index + 1)),
    })),
  )
  return people.map(({ username }) => username)
}

describe('a listing has reviews readable at the reviews route', () => {
  test('with who wrote them, when, and after how much play', async () => {
    const player = await signUp(server)
    const game = await insertPublicGame(server, owner)
    await insertLicense(server, game.uid, player)
    await verifyEmail(server, player)
    await setPlayMinutes(server, game.uid, player, 125)
    const written = await readData<Reviews['items'][number]>(
      await player.json('PUT', `/api/v1/private/games/${game.uid}/review`, { rating: 5, text: 'Yes.' }),
    )
    const { username } = await readData<{ username: string }>(await player.fetch('/api/v1/private/me'))
    expect(written).toMatchObject({ username, rating: 5, text: 'Yes.', play_minutes: 125 })
    expect(await read(game.vanityName)).toEqual({
      items: [written],
      total: 1,
      page: 1,
      page_size: 20,
      average: 5,
      count: 1,
    } as never)
  })

  test('newest first, in pages; the average is of all of them', async () => {
    const game = await insertPublicGame(server, owner)
    const names = await insertReviews(game.uid, [5, 4, 4, 1, 2])
    const first = await read(game.uid, '?page_size=2')
    expect(first).toMatchObject({ total: 5, count: 5, average: 3.2, page: 1, page_size: 2 })
    expect(first.items.map(({ username }) => username)).toEqual([names[4] ?? '', names[3] ?? ''])
    const last = await read(game.uid, '?page_size=2&page=3')
    expect(last.items.map(({ text }) => text)).toEqual(['Review 1'])
    expect(await read(game.uid, '?page=9')).toMatchObject({ items: [], total: 5, average: 3.2 })
  })

  test.each([
    [[], null],
    [[4], 4],
    [[5, 4, 4], 4.33],
    [[5, 5, 4], 4.67],
    [[1, 1, 1, 1, 1, 1, 1, 2], 1.13],
  ])('the average of %j is %p', async (ratings, average) => {
    const game = await insertPublicGame(server, owner)
    if (ratings.length > 0) await insertReviews(game.uid, ratings)
    expect(await read(game.uid)).toMatchObject({ average, count: ratings.length, total: ratings.length })
  })

  test('with the same number of queries however many there are', async () => {
    const game = await insertPublicGame(server, owner)
    let queries = 0
    traceQueries(server.deps.db, {
      startQuery: () => {
        queries += 1
        return () => undefined
      },
    })
    const countQueries = async () => {
      queries = 0
      await read(game.uid)
      return queries
    }
    const none = await countQueries()
    expect(none).toBeGreaterThan(0)
    await insertReviews(
      game.uid,
      Array.from({ length: 20 }, () => 3),
    )
    expect(await countQueries()).toBe(none)
  })

  test.each([
    ['public', 200],
    ['invisible', 200],
    ['draft', 404],
    ['owner', 404],
  ] as const)('of a %s page: %i', async (visibility, status) => {
    const game = await insertGame(server, owner, { visibility })
    const answer = await server.fetch(pathOf(game.uid))
    expect(answer.status).toBe(status)
    if (status !== 404) return
    expect(await answer.text()).toBe(await (await server.fetch(pathOf('no-such-listing'))).text())
    expect(await readFailure(await server.fetch(pathOf(game.vanityName)))).toMatchObject({ code: 4040 })
  })

  test('under an old name by a redirect that keeps the page', async () => {
    const game = await insertPublicGame(server, owner)
    await server.deps.db.insert(oldVanityNames).values({ name: 'first-name', gameUid: game.uid })
    const answer = await server.fetch(`${pathOf('first-name')}?page=2`)
    expect(answer.status).toBe(301)
    expect(answer.headers.get('location')).toBe(`${pathOf(game.vanityName)}?page=2`)
  })

  test('is cached by its ETag, which moves with a new review', async () => {
    const game = await insertPublicGame(server, owner)
    const before = await server.fetch(pathOf(game.uid))
    const etag = before.headers.get('etag') ?? ''
    expect(before.headers.get('cache-control')).toStartWith('public, max-age=')
    const ask = () => server.fetch(pathOf(game.uid), { headers: { 'if-none-match': etag } })
    expect((await ask()).status).toBe(304)
    await insertReviews(game.uid, [3])
    expect((await ask()).status).toBe(200)
  })

  test('a bad credential is 401, never an anonymous reader', async () => {
    const headers = { authorization: 'Bearer svc_play_wrong' }
    expect((await server.fetch(pathOf('any'), { headers })).status).toBe(401)
  })
})
