import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { eq, sql } from 'drizzle-orm'

import { games } from '../../../../src/db/schema/games/games.ts'
import { noticeEvents } from '../../../../src/db/schema/notices.ts'
import { watchStatements } from '../../../helpers/catalog.ts'
import { type GameRow, insertPublicGame } from '../../../helpers/listings.ts'
import {
  editListing,
  followDeveloper,
  followGame,
  markNotices,
  readNotices,
} from '../../../helpers/notices/notices.ts'
import { asPerson, type Person, signUp } from '../../../helpers/people.ts'
import { publishPost } from '../../../helpers/posts.ts'
import { release } from '../../../helpers/releases.ts'
import { startTestServer, type TestServer } from '../../../helpers/server.ts'
import { readPage } from '../../../helpers/site/read-page.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'
import { PROMPT_MS, waitFor } from '../../../helpers/wait.ts'

const server = useStore({ TRUST_PROXY: '1' })
let second: TestServer
const owner = usePerson(server)
beforeAll(async () => {
  second = await startTestServer({
    DATABASE_URL: server.databaseUrl,
    DATA_DIR: server.dataDir,
    TRUST_PROXY: '1',
    BASE_URL: server.deps.config.baseUrl,
  })
})
afterAll(async () => await second?.stop())

async function prepare(values: Partial<GameRow> = {}): Promise<{ player: Person; game: GameRow }> {
  const [player, game] = await Promise.all([signUp(server), insertPublicGame(server, owner, values)])
  await followGame(player, game)
  return { player, game }
}

/** The number on the bell; 0 without one. */
function bellOf(page: string): number | string {
  const [, bell = ''] = /<a class="bell"(.*?)<\/a>/s.exec(page) ?? []
  if (bell === '') throw new Error('There is no bell')
  const [, count = '0'] = /class="count">([\d+]+)</.exec(bell) ?? []
  return count.endsWith('+') ? count : Number(count)
}

const form = { 'content-type': 'application/x-www-form-urlencoded' }
const post = (person: Person, body: Record<string, string>) =>
  person.fetch('/notices/read', { method: 'POST', headers: form, body: new URLSearchParams(body).toString() })

describe('the bell', () => {
  test('counts what is unread on every page, for who is signed in', async () => {
    const { player, game } = await prepare()
    expect(bellOf(await readPage(player, '/'))).toBe(0)
    await release(server, game.uid)
    for (const path of ['/', '/search', '/notices', '/library', `/games/${game.vanityName}`])
      expect([path, bellOf(await readPage(player, path))]).toEqual([path, 1])
    expect(await readPage(server, '/')).not.toContain('class="bell"')
    await server.deps.db.insert(noticeEvents).values(
      Array.from({ length: 120 }, (_, index) => ({
        kind: 'operator' as const,
        userUid: player.uid,
        facts: { title: `Event ${index}` },
      })),
    )
    await markNotices(player, { until: '2000-01-01T00:00:00Z' })
    expect(bellOf(await readPage(player, '/'))).toBe('99+')
  })

  test('needs no statement while nothing changes', async () => {
    const { player, game } = await prepare()
    await followDeveloper(player, owner)
    await release(server, game.uid)
    await readPage(player, '/library')
    const counting = async (work: () => Promise<unknown>) =>
      (await watchStatements(server, work)).filter(({ text }) => text.includes('notice_'))
    expect(await counting(() => readPage(player, '/library'))).toEqual([])
    const [stranger, other] = [await signUp(server), await insertPublicGame(server, await signUp(server))]
    await followGame(stranger, other)
    await release(server, other.uid)
    await readPage(stranger, '/')
    expect(await counting(() => readPage(player, '/library'))).toEqual([])
    await release(server, game.uid, { version: '1.1.0' })
    expect(await counting(() => readPage(player, '/library'))).not.toEqual([])
    expect(await counting(() => readPage(player, '/library'))).toEqual([])
  })

  test('changes in another process with what happens, what is read and what one follows', async () => {
    const { player, game } = await prepare({ priceCents: 1500 })
    const there = asPerson(second, player)
    const becomes = async (count: number) =>
      await waitFor(
        `${count} on the bell`,
        async () => bellOf(await readPage(there, '/')) === count,
        PROMPT_MS,
      )
    await becomes(0)
    await publishPost(owner, game)
    await becomes(1)
    await followGame(player, game, { wish: true })
    await editListing(owner, game, { price_cents: 999 })
    await becomes(2)
    await owner.json('PUT', `/api/v1/private/games/${game.uid}/visibility`, { visibility: 'draft' })
    await becomes(0)
    await owner.json('PUT', `/api/v1/private/games/${game.uid}/visibility`, { visibility: 'public' })
    await becomes(2)
    await followGame(player, game, { wish: true, posts: false })
    await becomes(1)
    await markNotices(player, { until: new Date(Date.now() + 60_000).toISOString() })
    await becomes(0)
    expect(await readNotices(there)).toMatchObject({ unread: 0, items: [{ read: true }] })
  })
})

describe('/notices', () => {
  test('groups by day and game, marks, and filters by kind', async () => {
    const { player, game } = await prepare({ name: 'First One' })
    const other = await insertPublicGame(server, owner, { name: 'Second One' })
    await followGame(player, other)
    await publishPost(owner, game, { title: 'A post of the first' })
    await release(server, other.uid, { version: '2.0.0' })
    await release(server, game.uid, { version: '1.0.0' })
    await server.deps.db
      .update(noticeEvents)
      .set({ at: sql`${noticeEvents.at} - interval '1 day'` })
      .where(eq(noticeEvents.gameUid, other.uid))
    const hidden = await readPage(player, '/notices')
    expect(hidden).not.toContain('Second One')
    await server.deps.db.execute(sql`update game_follows set created_at = now() - interval '2 days'`)
    const page = await readPage(player, '/notices')
    expect(page.match(/class="notice-day"/g)).toHaveLength(2)
    expect(page.match(/class="notice-game"/g)).toHaveLength(2)
    expect(page.indexOf('Second One')).toBeGreaterThan(page.indexOf('A post of the first'))
    const posts = await readPage(player, '/notices?kind=post')
    expect(posts).toContain('A post of the first')
    expect(posts).not.toContain('1.0.0 for Linux')
    expect(await readPage(player, '/notices?kind=jam')).toContain('Nothing here')

    const [newest] = (await readNotices(player)).items
    const one = await post(player, { uids: newest?.uid ?? '', next: '/notices?kind=release' })
    expect([one.status, one.headers.get('location')]).toEqual([303, '/notices?kind=release&done=read'])
    expect(bellOf(await readPage(player, '/notices'))).toBe(2)
    const [, until = ''] = /name="until" value="([^"]+)"/.exec(page) ?? []
    expect((await post(player, { until, next: 'https://evil.example/' })).headers.get('location')).toBe(
      '/notices?done=read',
    )
    const done = await readPage(player, '/notices?done=read')
    expect(bellOf(done)).toBe(0)
    expect(done).toContain('Marked as read.')
    expect(done).not.toContain('Mark all read')
    expect(await readPage(player, '/notices?unread=true')).toContain('Nothing here')
  })

  test('is empty at first, leads through its pages, and needs a sign-in', async () => {
    const player = await signUp(server)
    expect(await readPage(player, '/notices')).toContain('No notices yet')
    const values = Array.from({ length: 25 }, (_, index) => ({
      kind: 'operator' as const,
      userUid: player.uid,
      facts: { title: `Number ${index + 1}.` },
      at: sql`now() - ${index} * interval '1 hour'`,
    }))
    await server.deps.db.insert(noticeEvents).values(values)
    const first = await readPage(player, '/notices')
    expect(first).toContain('Number 20.')
    expect(first).not.toContain('Number 21.')
    const [, next = ''] = /rel="next" href="([^"]+)"/.exec(first) ?? []
    const last = await readPage(player, next.replaceAll('&amp;', '&'))
    expect(last).toContain('Number 25.')
    expect(last).not.toContain('rel="next"')
    const guest = await server.fetch('/notices', { headers: { accept: 'text/html' } })
    expect([guest.status, guest.headers.get('location')]).toEqual([303, '/sign-in?next=%2Fnotices'])
    expect((await player.fetch('/notices?cursor=x', { headers: { accept: 'text/html' } })).status).toBe(400)
  })

  test('shows hostile names as text', async () => {
    const { player, game } = await prepare()
    const title = '"><script>alert(1)</script> شرير'
    const name = '<img src=x onerror=alert(1)>'
    await server.deps.db.update(games).set({ name }).where(eq(games.uid, game.uid))
    await publishPost(owner, game, { title, markdown: '<b>bold</b> [x](javascript:alert(1))' })
    await release(server, game.uid, { version: '1.0.0"><b>' })
    const page = await readPage(player, '/notices')
    expect(page).not.toContain('<script>alert')
    expect(page).not.toContain('<img src=x')
    expect(page).not.toContain('"><b>')
    expect(page).toContain('dir="auto"')
    expect((await readNotices(player, '?kind=post')).items[0]).toMatchObject({ title, game: { name } })
  })

  test('refuses forms that name nothing', async () => {
    const player = await signUp(server)
    for (const body of [{}, { uids: 'x' }, { until: 'x' }, { until: '2026-01-01T00:00:00Z', uids: 'x' }])
      expect([body, (await post(player, body as Record<string, string>)).status]).toEqual([body, 400])
  })

  test('is told of changes while it is open', async () => {
    const { player, game } = await prepare()
    const stop = new AbortController()
    const answer = await fetch(`${second.url}/notices/events`, {
      headers: { cookie: player.cookie },
      signal: stop.signal,
    })
    expect(answer.headers.get('content-type')).toBe('text/event-stream')
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
    const next = async () => (await reader?.read())?.value
    expect(await next()).toStartWith('retry:')
    const event = next()
    await release(server, (await insertPublicGame(server, owner)).uid)
    expect(await Promise.race([event, Bun.sleep(1200).then(() => 'nothing')])).toBe('nothing')
    await release(server, game.uid)
    expect(await event).toBe('event: change\ndata: {}\n\n')
    const read = next()
    await markNotices(player, { until: new Date(Date.now() + 60_000).toISOString() })
    expect(await read).toBe('event: change\ndata: {}\n\n')
    stop.abort()
    const guest = await fetch(`${server.url}/notices/events`, { redirect: 'manual' })
    expect(guest.status).toBe(401)
  })
})
