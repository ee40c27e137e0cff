import { describe, expect, test } from 'bun:test'

import { eq, sql } from 'drizzle-orm'

import { gameFollows } from '../../../../../src/db/schema/follows.ts'
import { games } from '../../../../../src/db/schema/games/games.ts'
import { noticeEvents, noticeReads, noticeSettings } from '../../../../../src/db/schema/notices.ts'
import type { Notices } from '../../../../../src/features/community/notices/model.ts'
import { deleteOldNotices, READS_MAX } from '../../../../../src/features/community/notices/reads.ts'
import { createUid } from '../../../../../src/lib/ids.ts'
import { watchStatements } from '../../../../helpers/catalog.ts'
import { readData, readFailure } from '../../../../helpers/json.ts'
import { type GameRow, insertPublicGame } from '../../../../helpers/listings.ts'
import {
  followDeveloper,
  followGame,
  markNotices,
  readAllNotices,
  readNotices,
  setVisibility,
  toldTo,
} from '../../../../helpers/notices/notices.ts'
import { type Person, signUp } from '../../../../helpers/people.ts'
import { publishPost } from '../../../../helpers/posts.ts'
import { release } from '../../../../helpers/releases.ts'
import { usePerson, useStore } from '../../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)

async function prepare(values: Partial<GameRow> = {}): Promise<{ player: Person; game: GameRow }> {
  const [player, game] = await Promise.all([signUp(server), insertPublicGame(server, owner, values)])
  await followGame(player, game)
  return { player, game }
}

/** Events of a listing, one a minute, the newest first; as if they had happened after everyone followed. */
async function insertEvents(game: GameRow, count: number, apart = '1 minute'): Promise<string[]> {
  await server.deps.db
    .update(gameFollows)
    .set({ createdAt: sql`now() - interval '91 days'` })
    .where(eq(gameFollows.gameUid, game.uid))
  const uids = Array.from({ length: count }, createUid).toReversed()
  await server.deps.db.insert(noticeEvents).values(
    uids.map((uid, index) => {
      const at = sql`now() - ${index + 1} * ${apart}::interval`
      return {
        uid,
        kind: 'release' as const,
        gameUid: game.uid,
        facts: { title: `Event ${index}` },
        at,
        burstAt: at,
      }
    }),
  )
  return uids
}

const moveBack = (gameUid: string, by: string) =>
  server.deps.db
    .update(noticeEvents)
    .set({
      at: sql`${noticeEvents.at} - ${by}::interval`,
      burstAt: sql`${noticeEvents.burstAt} - ${by}::interval`,
    })
    .where(eq(noticeEvents.gameUid, gameUid))

const uidsOf = ({ items }: Pick<Notices, 'items'>) => items.map(({ uid }) => uid)

describe('pages', () => {
  test.each(['1 minute', '3 days'])(
    'come to the end, whatever their size, of events %s apart',
    async (apart) => {
      const { player, game } = await prepare()
      const uids = await insertEvents(game, 25, apart)
      for (const limit of [1, 7, 25, 50])
        expect((await readAllNotices(player, limit)).map(({ uid }) => uid)).toEqual(uids)
    },
  )

  test('have a burst once that began before the days that are read first', async () => {
    const { player, game } = await prepare()
    const uids = await insertEvents(game, 12, '3 seconds')
    await moveBack(game.uid, '335 hours 59 minutes 45 seconds')
    await server.deps.db
      .update(noticeEvents)
      .set({ burstAt: sql`now() - interval '336 hours 30 seconds'` })
      .where(eq(noticeEvents.gameUid, game.uid))
    for (const limit of [1, 20]) {
      const { items } = await readNotices(player, `?limit=${limit}`)
      expect(items).toMatchObject([{ uid: uids[0], count: 12 }])
    }
  })

  test('stay as they were while more happens', async () => {
    const { player, game } = await prepare()
    const uids = await insertEvents(game, 25)
    const first = await readNotices(player, '?limit=10')
    expect(uidsOf(first)).toEqual(uids.slice(0, 10))
    await release(server, game.uid)
    const second = await readNotices(player, `?limit=10&cursor=${first.next_cursor}`)
    expect(uidsOf(second)).toEqual(uids.slice(10, 20))
    const last = await readNotices(player, `?limit=10&cursor=${second.next_cursor}`)
    expect([uidsOf(last), last.next_cursor]).toEqual([uids.slice(20), null])
    expect(uidsOf(await readNotices(player))[1]).toBe(uids[0] ?? '')
  })

  test('clamp their size, and refuse a cursor that is none', async () => {
    const { player, game } = await prepare()
    await insertEvents(game, 60)
    for (const [limit, count] of [
      ['', 20],
      ['x', 20],
      ['-5', 1],
      ['1000000', 50],
    ] as const)
      expect((await readNotices(player, `?limit=${limit}&kind=nonsense`)).items).toHaveLength(count)
    for (const cursor of ['x', 'AAAA', Buffer.from('1 2 3').toString('base64url'), 'x'.repeat(4000)])
      expect(await readFailure(await player.fetch(`/api/v1/private/notices?cursor=${cursor}`))).toMatchObject(
        {
          status: 400,
          code: 4000,
        },
      )
  })

  test('take two statements however many follows and notices there are, and one more to look further back', async () => {
    const { player, game } = await prepare()
    await insertEvents(game, 30)
    for (let more = 0; more < 5; more += 1) await followGame(player, await insertPublicGame(server, owner))
    await readNotices(player)
    for (const [limit, count] of [
      [20, 2],
      [50, 3],
    ] as const) {
      const statements = await watchStatements(server, () => readNotices(player, `?limit=${limit}`))
      expect(statements.filter(({ text }) => text.includes('notice_events'))).toHaveLength(count)
    }
  })
})

describe('a listing that one may not open now', () => {
  test('takes its notices along, and brings them back', async () => {
    const { player, game } = await prepare()
    await followDeveloper(player, owner)
    await publishPost(owner, game)
    await release(server, game.uid)
    expect(await readNotices(player)).toMatchObject({ unread: 2 })
    for (const visibility of ['draft', 'owner']) {
      await setVisibility(owner, game, visibility)
      expect(await readNotices(player)).toMatchObject({ items: [], unread: 0 })
    }
    await setVisibility(owner, game, 'invisible')
    expect(await readNotices(player)).toMatchObject({ unread: 2 })
    await setVisibility(owner, game, 'public')
    expect(await toldTo(player)).toHaveLength(2)
  })

  test('adult ones only with the opt-in', async () => {
    const { player, game } = await prepare()
    await server.deps.db.update(games).set({ adult: true }).where(eq(games.uid, game.uid))
    await publishPost(owner, game)
    const choose = (adult_content: boolean) => player.json('PATCH', '/api/v1/private/me', { adult_content })
    expect(await readNotices(player)).toMatchObject({ items: [], unread: 0 })
    await choose(true)
    expect(await readNotices(player)).toMatchObject({ items: [{ kind: 'post' }], unread: 1 })
    await choose(false)
    expect(await readNotices(player)).toMatchObject({ items: [], unread: 0 })
  })

  test('a post that was withdrawn or deleted is no longer told', async () => {
    const { player, game } = await prepare()
    const post = await publishPost(owner, game)
    const path = `/api/v1/private/games/${game.uid}/posts/${post.uid}`
    const etag = (await owner.fetch(path)).headers.get('etag') ?? ''
    const change = await owner.fetch(path, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json', 'if-match': etag },
      body: '{"title": "Another title", "state": "draft"}',
    })
    expect(change.status).toBe(200)
    expect(await toldTo(player)).toEqual([])
    await owner.json('DELETE', path)
    expect(await toldTo(player)).toEqual([])
  })
})

describe('bursts', () => {
  test('100 publications in a minute are one notice', async () => {
    const { player, game } = await prepare()
    for (let patch = 0; patch < 10; patch += 1) await release(server, game.uid, { version: `1.0.${patch}` })
    expect((await readNotices(player)).items).toHaveLength(10)
    for (let patch = 10; patch < 100; patch += 1) await release(server, game.uid, { version: `1.0.${patch}` })
    expect(await readNotices(player)).toMatchObject({
      items: [{ title: '1.0.99 for Linux', count: 100 }],
      unread: 1,
      next_cursor: null,
    })
    expect(await readAllNotices(player, 1)).toHaveLength(1)
    const other = await insertPublicGame(server, owner)
    await followGame(player, other)
    await release(server, other.uid)
    expect((await readNotices(player)).items.map(({ count }) => count)).toEqual([1, 100])
    const [, burst] = (await readNotices(player)).items
    await markNotices(player, { uids: [burst?.uid] })
    expect(await readNotices(player)).toMatchObject({ items: [{ read: false }, { read: true }], unread: 1 })
  })

  test('end after a minute, and count what one hears of', async () => {
    const { player, game } = await prepare()
    const narrow = await signUp(server)
    await followGame(narrow, game, { platforms: ['windows'] })
    for (let patch = 0; patch < 12; patch += 1) {
      const os = patch % 4 === 0 ? 'windows' : 'linux'
      await release(server, game.uid, { version: `1.0.${patch}`, os })
    }
    expect((await readNotices(player)).items.map(({ count }) => count)).toEqual([12])
    expect((await readNotices(narrow)).items.map(({ count }) => count)).toEqual([1, 1, 1])
    await server.deps.db
      .update(gameFollows)
      .set({ createdAt: sql`now() - interval '1 day'` })
      .where(eq(gameFollows.gameUid, game.uid))
    await moveBack(game.uid, '61 seconds')
    await release(server, game.uid, { version: '1.1.0' })
    expect((await readNotices(player)).items.map(({ count }) => count)).toEqual([1, 12])
  })

  test('that lie across pages are told once', async () => {
    const { player, game } = await prepare()
    const other = await insertPublicGame(server, owner)
    await followGame(player, other)
    for (let patch = 0; patch < 24; patch += 1)
      await release(server, (patch % 2 ? game : other).uid, { version: `1.0.${patch}` })
    for (const limit of [1, 2])
      expect((await readAllNotices(player, limit)).map(({ count }) => count)).toEqual([12, 12])
  })
})

describe('marks', () => {
  test('one by one or up to a moment, only what one is told', async () => {
    const { player, game } = await prepare()
    const uids = await insertEvents(game, 5)
    const readUids = async () => uidsOf(await readNotices(player, '?unread=true'))
    expect(await readNotices(player)).toMatchObject({ unread: 5 })
    expect(await readData(await markNotices(player, { uids: [uids[1]] }))).toEqual({ unread: 4 })
    expect(await readUids()).toEqual([uids[0], uids[2], uids[3], uids[4]] as string[])
    expect((await readNotices(player)).items.map(({ read }) => read)).toEqual([
      false,
      true,
      false,
      false,
      false,
    ])
    const { items } = await readNotices(player)
    await markNotices(player, { until: items[3]?.at })
    expect(await readUids()).toEqual([uids[0], uids[2]] as string[])
    const stranger = await signUp(server)
    await markNotices(stranger, { uids })
    const marks = await server.deps.db.$count(noticeReads, eq(noticeReads.userUid, stranger.uid))
    expect(marks).toBe(0)
    await markNotices(player, { until: '2999-01-01T00:00:00.000Z' })
    expect(await readNotices(player)).toMatchObject({ unread: 0 })
    await release(server, game.uid)
    expect(await readNotices(player)).toMatchObject({ unread: 1 })
  })

  test('are folded once everything before them is read, and never more than the bound', async () => {
    const { player, game } = await prepare()
    const uids = await insertEvents(game, 5)
    const countMarks = () => server.deps.db.$count(noticeReads, eq(noticeReads.userUid, player.uid))
    await markNotices(player, { uids: [uids[1], uids[2]] })
    expect(await countMarks()).toBe(2)
    await markNotices(player, { uids: [uids[3], uids[4]] })
    expect(await countMarks()).toBe(0)
    expect(uidsOf(await readNotices(player, '?unread=true'))).toEqual([uids[0] ?? ''])

    const many = await prepare()
    await insertEvents(many.game, READS_MAX + 50)
    await server.deps.db.execute(sql`
      insert into ${noticeReads} (user_uid, event_uid)
      select ${many.player.uid}::uuid, uid from ${noticeEvents}
      where game_uid = ${many.game.uid} order by at desc limit ${READS_MAX + 20}`)
    const [oldest] = (await readNotices(many.player, '?unread=true&limit=1')).items
    await markNotices(many.player, { uids: [oldest?.uid] })
    const left = await server.deps.db.$count(noticeReads, eq(noticeReads.userUid, many.player.uid))
    expect(left).toBeLessThanOrEqual(READS_MAX)
  })

  test('of anything else are refused', async () => {
    const player = await signUp(server)
    const uid = createUid()
    for (const body of [
      {},
      { uids: [] },
      { uids: ['x'] },
      { uids: [uid], until: '2026-01-31T12:00:00.000Z' },
      { until: 'yesterday' },
      { until: null },
      { uids: Array.from({ length: 101 }, createUid) },
      { uids: [uid], more: true },
    ])
      expect(await readFailure(await markNotices(player, body))).toMatchObject({ status: 400, code: 4000 })
    expect((await markNotices(player, { uids: [uid] })).status).toBe(200)
    const rows = await server.deps.db.$count(noticeSettings, eq(noticeSettings.userUid, player.uid))
    expect(rows).toBe(0)
  })
})

test('player keys read with player:read, and mark with player:library', async () => {
  const { player, game } = await prepare()
  await insertEvents(game, 1)
  const createKey = async (scope: string) => {
    const body = { label: 'for tests', scopes: [scope] }
    const answer = await player.json('POST', '/api/v1/private/player-keys', body)
    return { authorization: `Bearer ${(await readData<{ key: string }>(answer)).key}` }
  }
  const [reads, writes] = [await createKey('player:read'), await createKey('player:library')]
  const list = (headers: Record<string, string>) => server.fetch('/api/v1/private/notices', { headers })
  const mark = (headers: Record<string, string>) =>
    server.fetch('/api/v1/private/notices/read', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ until: new Date().toISOString() }),
    })
  expect(await readData<Notices>(await list(reads))).toMatchObject({ unread: 1 })
  expect(await readFailure(await list(writes))).toMatchObject({ status: 403, code: 4031 })
  expect(await readFailure(await mark(reads))).toMatchObject({ status: 403, code: 4031 })
  expect(await readData(await mark(writes))).toEqual({ unread: 0 })
  expect((await server.fetch('/api/v1/private/notices')).status).toBe(401)
})

test('after 90 days a notice is no longer told, and a job deletes it', async () => {
  const { player, game } = await prepare()
  const [young = '', old = ''] = await insertEvents(game, 2, '44 days')
  await markNotices(player, { uids: [old] })
  expect(await toldTo(player)).toHaveLength(2)
  await moveBack(game.uid, '3 days')
  expect(uidsOf(await readNotices(player))).toEqual([young])
  await deleteOldNotices(server.deps.db, new AbortController().signal)
  const left = await server.deps.db
    .select({ uid: noticeEvents.uid })
    .from(noticeEvents)
    .where(eq(noticeEvents.gameUid, game.uid))
  expect(left.map(({ uid }) => uid)).toEqual([young])
})
