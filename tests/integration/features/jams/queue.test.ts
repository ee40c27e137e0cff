import { describe, expect, test } from 'bun:test'

import { eq, sql } from 'drizzle-orm'

import { games } from '../../../../src/db/schema/games/games.ts'
import { jamEntries, jamVisits } from '../../../../src/db/schema/jams.ts'
import { launchSessions } from '../../../../src/db/schema/telemetry.ts'
import { sortQueue } from '../../../../src/domain/jams/queue-order.ts'
import type { Queue } from '../../../../src/features/jams/rating/model.ts'
import { enter, type Entered, insertJam, type JamRow, play, rate } from '../../../helpers/jams/voting.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { signUp } from '../../../helpers/people.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const voter = usePerson(server)
const maker = usePerson(server)

async function insertFull(values: Parameters<typeof insertJam>[1] = {}) {
  const jam = await insertJam(server, values)
  return { jam, own: await enter(server, jam, voter) }
}

const pathOf = (jam: JamRow, tail = '') => `/api/v1/private/jams/${jam.slug}/queue${tail}`
const read = async (jam: JamRow, query = '', person = voter) =>
  await readData<Queue>(await person.fetch(pathOf(jam, query)))
const namesOf = async (jam: JamRow, query = '') => (await read(jam, query)).items.map(({ game }) => game.uid)
const act = (jam: JamRow, { game }: Entered, tail: string) =>
  voter.json('POST', pathOf(jam, `/${game.uid}/${tail}`))
const setCounts = (entered: Entered, received: number, given: number) =>
  server.deps.db.update(jamEntries).set({ received, given }).where(eq(jamEntries.uid, entered.entry.uid))

describe('the queue', () => {
  test('shows what can be rated, with the version of the jam', async () => {
    const { jam, own } = await insertFull()
    const other = await enter(server, jam, maker, {
      systems: ['web', 'linux'],
      entry: { note: 'Use the keys.' },
    })
    const queue = await read(jam)
    expect(queue).toMatchObject({ left: 1, rated: 0 })
    expect(queue.items).toHaveLength(1)
    expect(queue.items[0]).toMatchObject({
      game: { uid: other.game.uid, name: other.game.name },
      note: 'Use the keys.',
      files: [
        { os: 'web', playable: true },
        { os: 'linux', playable: false },
      ],
      received: 0,
      refusal: 'not_played',
      skipped: false,
    })
    expect(queue.own).toEqual([
      {
        game: { uid: own.game.uid, vanity_name: own.game.vanityName, name: own.game.name },
        received: 0,
        given: 0,
        ahead: 0,
        ahead_after: 0,
      },
    ])
    await play(server, other, voter)
    expect((await read(jam)).items[0]).toMatchObject({ refusal: null, played_seconds: 60 })
  })

  test('offers few ratings first, moves those ahead whose team rates, and is the same all day', async () => {
    const { jam } = await insertFull({ minRatings: 5 })
    const counts: [received: number, given: number][] = [
      [0, 0],
      [4, 0],
      [4, 10],
      [6, 0],
      [9, 40],
      [9, 400],
      [5, 0],
      [3, 3],
    ]
    const entries: Entered[] = []
    for (const [received, given] of counts) {
      const entered = await enter(server, jam, maker)
      await setCounts(entered, received, given)
      entries.push(entered)
    }
    const offered = await namesOf(jam)
    const expected = sortQueue(
      entries.map(({ game }, index) => {
        const [received = 0, given = 0] = counts[index] ?? []
        return { uid: game.uid, received, given }
      }),
      5,
      (uid) => offered.indexOf(uid),
    )
    expect(offered).toEqual(expected.map(({ uid }) => uid))
    expect(await namesOf(jam)).toEqual(offered)
    expect(await namesOf(jam, '?limit=3')).toEqual(offered.slice(0, 3))
  })

  test('offers no file that a later scan found infected', async () => {
    const { jam } = await insertFull()
    const infect = (entered: Entered, os: 'web' | 'linux') =>
      server.deps.db.execute(sql`update files set scan = 'infected' from builds
        where builds.uid = files.build_uid and builds.os = ${os} and files.game_uid = ${entered.game.uid}`)
    const half = await enter(server, jam, maker, { systems: ['web', 'linux'] })
    await infect(half, 'linux')
    await infect(await enter(server, jam, maker, { systems: ['web'] }), 'web')
    const { items } = await read(jam)
    expect(items.map(({ game, files }) => [game.uid, files.map(({ os }) => os)])).toEqual([
      [half.game.uid, ['web']],
    ])
  })

  test('differs between voters among equals', async () => {
    const { jam } = await insertFull()
    const other = await signUp(server)
    await enter(server, jam, other)
    for (let index = 0; index < 8; index += 1) await enter(server, jam, maker)
    const mine = new Set(await namesOf(jam))
    const ofMaker = (queue: Queue) => queue.items.map(({ game }) => game.uid).filter((uid) => mine.has(uid))
    const theirs = ofMaker(await read(jam, '', other))
    const own = (await namesOf(jam)).filter((uid) => theirs.includes(uid))
    expect(own.toSorted()).toEqual(theirs.toSorted())
    expect(own).not.toEqual(theirs)
  })

  test('offers what runs on the systems of the voter, in the browser first on a phone', async () => {
    const { jam } = await insertFull()
    const linux = await enter(server, jam, maker, { systems: ['linux'] })
    const android = await enter(server, jam, maker, { systems: ['android'] })
    const web = await enter(server, jam, maker, { systems: ['web'] })
    await setCounts(web, 3, 0)
    expect(await namesOf(jam, '?os=linux')).toEqual([linux.game.uid, web.game.uid])
    expect(await namesOf(jam, '?os=android')).toEqual([web.game.uid, android.game.uid])
    expect(await namesOf(jam, '?os=windows')).toEqual([web.game.uid])
    expect((await namesOf(jam)).length).toBe(3)
    expect(await read(jam, '?os=windows')).toMatchObject({ left: 3 })
  })

  test('leaves out what was rated, withdrawn, disqualified, taken down or for adults', async () => {
    const { jam } = await insertFull()
    const entries: Entered[] = []
    for (let index = 0; index < 5; index += 1) entries.push(await enter(server, jam, maker))
    const [rated, withdrawn, disqualified, down, adult] = entries
    if (!rated || !withdrawn || !disqualified || !down || !adult) throw new Error('Too few entries')
    await rate(server, voter, jam, rated)
    const { db } = server.deps
    const now = new Date()
    await db.update(jamEntries).set({ withdrawnAt: now }).where(eq(jamEntries.uid, withdrawn.entry.uid))
    await db.update(jamEntries).set({ disqualifiedAt: now }).where(eq(jamEntries.uid, disqualified.entry.uid))
    const takenDown = { at: now.toISOString(), reason: 'Stolen.', visibility: 'public' } as const
    await db.update(games).set({ takenDown, visibility: 'owner' }).where(eq(games.uid, down.game.uid))
    await db.update(games).set({ adult: true }).where(eq(games.uid, adult.game.uid))
    const queue = await read(jam)
    expect(queue.items).toEqual([])
    expect(queue.rated).toBe(1)
  })

  test('is refused to those who do not vote, and outside of the voting', async () => {
    const { jam } = await insertFull()
    const stranger = await signUp(server)
    expect(await readFailure(await stranger.fetch(pathOf(jam)))).toMatchObject({
      status: 403,
      code: 4122,
      data: { reason: 'not_entrant' },
    })
    const later = await insertFull({ pinnedAt: null })
    expect(await readFailure(await voter.fetch(pathOf(later.jam)))).toMatchObject({ status: 409, code: 4121 })
  })
})

describe('an entry in the queue', () => {
  test('comes last when it is skipped, until it is rated', async () => {
    const { jam } = await insertFull()
    const [first, second] = [await enter(server, jam, maker), await enter(server, jam, maker)]
    await setCounts(second, 3, 0)
    expect(await namesOf(jam)).toEqual([first.game.uid, second.game.uid])
    expect((await act(jam, first, 'skip')).status).toBe(200)
    expect(await namesOf(jam)).toEqual([second.game.uid, first.game.uid])
    expect((await read(jam)).items[1]).toMatchObject({ skipped: true })
  })

  test('leaves it when it cannot be run, which counts for the health of its build', async () => {
    const { jam } = await insertFull()
    const broken = await enter(server, jam, maker, { systems: ['windows', 'linux'] })
    expect((await act(jam, broken, 'cannot-run?os=linux')).status).toBe(200)
    expect((await act(jam, broken, 'cannot-run?os=linux')).status).toBe(200)
    expect(await read(jam)).toMatchObject({ items: [], left: 0 })
    const sessions = await server.deps.db.select().from(launchSessions)
    expect(sessions).toHaveLength(1)
    expect(sessions[0]).toMatchObject({ bootAt: null, crashAt: expect.any(Date) })

    await rate(server, voter, jam, broken)
    const [visit] = await server.deps.db
      .select()
      .from(jamVisits)
      .where(eq(jamVisits.entryUid, broken.entry.uid))
    expect(visit).toMatchObject({ cannotRunAt: null, skippedAt: null })
  })

  test('that is unknown or closed cannot be skipped', async () => {
    const { jam } = await insertFull()
    const other = await insertFull()
    expect((await act(jam, other.own, 'skip')).status).toBe(404)
  })
})

describe('an entrant', () => {
  test('sees how many entries stand ahead, now and after giving more', async () => {
    const { jam, own } = await insertFull()
    for (const received of [0, 1, 2, 3]) await setCounts(await enter(server, jam, maker), received, 0)
    await setCounts(own, 3, 0)
    const [standing] = (await read(jam)).own
    expect(standing).toMatchObject({ received: 3, given: 0, ahead: 3, ahead_after: 1 })
  })
})
