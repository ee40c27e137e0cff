import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { users } from '../../../../src/db/schema/accounts.ts'
import { reviews } from '../../../../src/db/schema/games/game-players.ts'
import { oldVanityNames } from '../../../../src/db/schema/games/games.ts'
import { pageReports } from '../../../../src/db/schema/operate.ts'
import { createUid } from '../../../../src/lib/ids.ts'
import { traceQueries } from '../../../../src/lib/tracing/tracing.ts'
import { readData, readFailure, readJson } from '../../../helpers/json.ts'
import {
  type GameRow,
  insertAdmin,
  insertGame,
  insertLicense,
  insertPublicGame,
  setPlayMinutes,
  verifyEmail,
} from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { readPage } from '../../../helpers/site/read-page.ts'
import { useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
let owner: Person

describe('writing reviews', () => {
  let player: Person
  let game: GameRow
  beforeAll(async () => {
    owner = await signUp(server)
    player = await signUp(server)
    game = await insertPublicGame(server, owner)
    await insertLicense(server, game.uid, player)
    await verifyEmail(server, player)
  })

  interface Review {
    uid: string
    username: string
    rating: number
    text: string
    play_minutes: number
    created_at: string
    updated_at: string
  }

  const pathOf = (ref: string) => `/api/v1/private/games/${ref}/review`
  const write = (person: Person, ref: string, body: unknown) => person.json('PUT', pathOf(ref), body)
  const GOOD = { rating: 4, text: 'Warm light, long nights.' }

  describe('a review', () => {
    test('is made with 201, changed with 200, read and deleted by its writer', async () => {
      const made = await write(player, game.uid, {
        rating: 4,
        text: '  Warm light.\n\n<b>Long</b> nights. \n',
      })
      expect(made.status).toBe(201)
      const first = await readData<Review>(made)
      expect(first).toMatchObject({ rating: 4, text: 'Warm light.\n\n<b>Long</b> nights.', play_minutes: 0 })
      expect(first.updated_at).toBe(first.created_at)

      const past = new Date('2026-01-01T00:00:00.000Z')
      await server.deps.db
        .update(reviews)
        .set({ createdAt: past, updatedAt: past })
        .where(eq(reviews.uid, first.uid))
      await setPlayMinutes(server, game.uid, player, 61)
      const changed = await write(player, game.vanityName, { rating: 2, text: '' })
      expect(changed.status).toBe(200)
      const second = await readData<Review>(changed)
      expect(second).toMatchObject({ uid: first.uid, rating: 2, text: '', play_minutes: 61 })
      expect(second.created_at).toBe(past.toISOString())
      expect(second.updated_at > second.created_at).toBe(true)
      expect(await readData<Review>(await player.fetch(pathOf(game.uid)))).toEqual(second)

      const gone = await player.json('DELETE', pathOf(game.uid))
      expect(await gone.json()).toEqual({ success: true, data: {} })
      for (const method of ['GET', 'DELETE']) {
        const failure = await readFailure(await player.json(method, pathOf(game.uid)))
        expect(failure).toMatchObject({ status: 404, code: 4040 })
      }
    })

    test.each([
      ['a rating of 1', { rating: 1, text: 'x' }],
      ['a rating of 5', { rating: 5, text: 'x' }],
      ['no words', { rating: 3, text: '' }],
      ['4000 characters', { rating: 3, text: 'x'.repeat(4000) }],
    ])('%s is taken', async (_, body) => {
      const answer = await write(player, game.uid, body)
      expect(answer.ok).toBe(true)
      expect(await readData<Review>(answer)).toMatchObject(body)
    })

    test.each([
      ['a rating of 0', { ...GOOD, rating: 0 }],
      ['a rating of 6', { ...GOOD, rating: 6 }],
      ['half a star', { ...GOOD, rating: 4.5 }],
      ['a rating as text', { ...GOOD, rating: '4' }],
      ['no rating', { text: 'x' }],
      ['no text', { rating: 4 }],
      ['text that is null', { rating: 4, text: null }],
      ['4001 characters', { ...GOOD, text: 'x'.repeat(4001) }],
      ['an unknown field', { ...GOOD, title: 'x' }],
      ['a list', []],
    ])('%s is 400/4000', async (_, body) => {
      expect(await readFailure(await write(player, game.uid, body))).toMatchObject({
        status: 400,
        code: 4000,
      })
    })

    test('a fault is told by its field, in plain words', async () => {
      const answer = await write(player, game.uid, { rating: 9, text: 'x' })
      expect(await readJson<unknown>(answer)).toMatchObject({
        data: { issues: [{ path: 'rating', message: 'rating must be a whole number from 1 to 5, not 9.' }] },
      })
    })

    test('twenty at once by one player make one', async () => {
      const other = await insertPublicGame(server, owner)
      await insertLicense(server, other.uid, player)
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          write(player, other.uid, { rating: (index % 5) + 1, text: '' }),
        ),
      )
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(19)
      expect(await server.deps.db.$count(reviews, eq(reviews.gameUid, other.uid))).toBe(1)
    })
  })

  describe('who may review', () => {
    test('a licence is needed: 403/4030 without', async () => {
      const stranger = await signUp(server)
      for (const answer of [
        await write(stranger, game.uid, GOOD),
        await stranger.json('DELETE', pathOf(game.uid)),
      ]) {
        const failure = await readFailure(answer)
        expect(failure).toMatchObject({ status: 403, code: 4030 })
        expect(failure.message).toContain('licence')
      }
      expect((await stranger.fetch(pathOf(game.uid))).status).toBe(404)
    })

    test('a confirmed e-mail address is needed: 403/4030 without, and the page says so', async () => {
      const [unconfirmed, page] = [await signUp(server), `/games/${game.vanityName}`]
      await insertLicense(server, game.uid, unconfirmed)
      const open = () => readPage(unconfirmed, page)
      const failure = await readFailure(await write(unconfirmed, game.uid, GOOD))
      expect(failure).toMatchObject({ status: 403, code: 4030 })
      expect(failure.message).toStartWith('Confirm your e-mail address first')
      const form = await unconfirmed.fetch(`${page}/review`, {
        method: 'POST',
        headers: { accept: 'text/html' },
        body: new URLSearchParams({ rating: '5', text: 'Mine' }),
      })
      expect(form.status).toBe(403)
      expect(await form.text()).toContain('Confirm your e-mail address first')
      expect(await open()).toContain('<a href="/verify">confirm your e-mail address</a>')
      expect(await open()).not.toContain(`action="${page}/review"`)
      await verifyEmail(server, unconfirmed)
      expect((await write(unconfirmed, game.uid, GOOD)).status).toBe(201)
      expect(await open()).toContain(`action="${page}/review"`)
    })

    test('owner and accepted admins may not review their own listing, even with a licence', async () => {
      const admin = await signUp(server)
      const invited = await signUp(server)
      await insertAdmin(server, game.uid, admin, 'accepted')
      await insertAdmin(server, game.uid, invited, 'invited')
      for (const person of [owner, admin, invited]) await insertLicense(server, game.uid, person)
      for (const person of [owner, admin]) {
        const failure = await readFailure(await write(person, game.uid, GOOD))
        expect(failure).toMatchObject({ status: 403, code: 4030 })
        expect(failure.message).toContain('owner or an admin of this listing')
      }
      await verifyEmail(server, invited)
      expect((await write(invited, game.uid, GOOD)).status).toBe(201)
    })

    test('who became an admin later can still take the own review back', async () => {
      const helper = await signUp(server)
      await insertLicense(server, game.uid, helper)
      await verifyEmail(server, helper)
      await write(helper, game.uid, GOOD)
      await insertAdmin(server, game.uid, helper, 'accepted')
      expect((await helper.json('DELETE', pathOf(game.uid))).status).toBe(200)
    })

    test.each(['draft', 'owner'] as const)('a %s page is 404/4040 to players', async (visibility) => {
      const hidden = await insertGame(server, owner, { visibility })
      await insertLicense(server, hidden.uid, player)
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const body = method === 'PUT' ? GOOD : undefined
        const failure = await readFailure(await player.json(method, pathOf(hidden.uid), body))
        expect(failure).toMatchObject({ status: 404, code: 4040 })
      }
    })

    test('an invisible page can be reviewed by who has the link', async () => {
      const unlisted = await insertGame(server, owner, { visibility: 'invisible' })
      await insertLicense(server, unlisted.uid, player)
      expect((await write(player, unlisted.uid, GOOD)).status).toBe(201)
    })
  })
})

describe('reading reviews', () => {
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
})

describe('reports', () => {
  beforeAll(async () => {
    owner = await signUp(server)
  })

  const REPORT = { reason: 'stolen', text: ' This is my drawing. ' }

  describe('reporting a page', () => {
    test('is stored for the operators', async () => {
      const reader = await signUp(server)
      const game = await insertPublicGame(server, owner)
      const answer = await reader.json('POST', `/api/v1/private/games/${game.vanityName}/reports`, REPORT)
      expect(answer.status).toBe(201)
      expect(await readData<object>(answer)).toMatchObject({ reason: 'stolen', text: 'This is my drawing.' })
      const rows = await server.deps.db.select().from(pageReports).where(eq(pageReports.gameUid, game.uid))
      expect(rows).toMatchObject([{ userUid: reader.uid, reason: 'stolen', text: 'This is my drawing.' }])
    })

    test.each([
      ['an unknown reason', { ...REPORT, reason: 'boring' }],
      ['no text', { ...REPORT, text: '  ' }],
      ['too long a text', { ...REPORT, text: 'x'.repeat(2001) }],
      ['more than that', { ...REPORT, game: 'x' }],
    ])('refuses %s', async (_, body) => {
      const reader = await signUp(server)
      const game = await insertPublicGame(server, owner)
      const answer = await reader.json('POST', `/api/v1/private/games/${game.uid}/reports`, body)
      expect(answer.status).toBe(400)
    })

    test('works ten times a day, by the page and by the API together', async () => {
      const reader = await signUp(server)
      const game = await insertPublicGame(server, owner)
      const byApi = () => reader.json('POST', `/api/v1/private/games/${game.uid}/reports`, REPORT)
      const byPage = () =>
        reader.fetch(`/games/${game.vanityName}/report`, {
          method: 'POST',
          body: new URLSearchParams(REPORT),
        })
      for (let count = 0; count < 5; count += 1) {
        expect([(await byApi()).status, (await byPage()).status]).toEqual([201, 303])
      }
      expect([(await byApi()).status, (await byPage()).status]).toEqual([429, 429])
    })

    test('a refused form keeps what was entered', async () => {
      const reader = await signUp(server)
      const game = await insertPublicGame(server, owner)
      const body = new URLSearchParams({ reason: 'malware', text: '' })
      const answer = await reader.fetch(`/games/${game.vanityName}/report`, { method: 'POST', body })
      const text = await answer.text()
      expect(answer.status).toBe(422)
      expect(text).toContain('<option value="malware" selected')
      expect(text).toContain('aria-describedby="report-text-fault report-text-hint"')
    })
  })
})
