import { beforeEach, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { downloadEvents } from '../../../../src/db/schema/catalog.ts'
import { deleteOldEvents } from '../../../../src/features/catalog/downloads/analytics.ts'
import { openDownloadLog } from '../../../../src/features/catalog/downloads/service.ts'
import { createUid } from '../../../../src/lib/ids.ts'
import { type FileRow, insertBuild, insertFile, pointChannel } from '../../../helpers/builds.ts'
import { readData } from '../../../helpers/json.ts'
import { type GameRow, insertPublicGame } from '../../../helpers/listings.ts'
import { randomAddress, signUp } from '../../../helpers/people.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'
import { waitFor } from '../../../helpers/wait.ts'

const server = useStore({ TRUST_PROXY: '1', COUNTRY_HEADER: 'CF-IPCountry' })
const owner = usePerson(server)

let game: GameRow
let file: FileRow
beforeEach(async () => {
  game = await insertPublicGame(server, owner, { anonymousDownloads: true })
  const build = await insertBuild(server, game.uid)
  await pointChannel(server, build)
  file = await insertFile(server, build)
})

interface Counts {
  items: {
    day: string
    source: string
    client: string
    country: string | null
    outcome: number
    count: number
  }[]
  total: number
}

const TODAY = new Date().toISOString().slice(0, 10)
const DAY_MS = 24 * 60 * 60 * 1000

async function download(path: string, headers: Record<string, string> = {}): Promise<number> {
  const answer = await server.fetch(`/api/v1/public/downloads/${path}`, {
    headers: { 'user-agent': 'curl/8.0', 'x-forwarded-for': randomAddress(), ...headers },
  })
  return answer.status
}

async function readCounts(query = '', who = owner): Promise<Counts> {
  return await readData<Counts>(
    await who.fetch(`/api/v1/private/games/${game.uid}/analytics/downloads${query}`),
  )
}

async function insertEvent(daysAgo: number, values: Partial<typeof downloadEvents.$inferInsert> = {}) {
  const at = new Date(Date.now() - daysAgo * DAY_MS)
  await server.deps.db
    .insert(downloadEvents)
    .values({ at, gameUid: game.uid, source: 'signed_out', client: 'curl', outcome: 200, ...values })
}

interface Versions {
  items: { build_id: string; version: string; count: number; refused: number }[]
  total: number
}

const readVersions = async (query = '') =>
  await readData<Versions>(await owner.fetch(`/api/v1/private/games/${game.uid}/analytics/versions${query}`))

describe('downloads per version', () => {
  test('are those of every build that still exists, the most downloaded first', async () => {
    const newer = await insertBuild(server, game.uid, { version: '2.0.0', channel: 'beta' })
    const other = await insertFile(server, newer)
    for (let done = 0; done < 2; done += 1) await insertEvent(0, { fileUid: other.uid })
    await insertEvent(0, { fileUid: file.uid })
    await insertEvent(0, { fileUid: file.uid, outcome: 4099 })
    await insertEvent(40, { fileUid: file.uid })
    await insertEvent(0, { fileUid: createUid() })
    const { items, total } = await readVersions()
    expect(total).toBe(2)
    expect(items).toMatchObject([
      { build_id: newer.uid, version: '2.0.0', channel: 'beta', os: 'linux', count: 2, refused: 0 },
      { build_id: file.buildUid, version: '1.0.0', app: 'main', count: 1, refused: 1 },
    ])
    expect((await readVersions('?days=90')).items).toMatchObject([{ count: 2 }, { count: 2 }])
    expect((await readVersions('?page_size=1&page=2')).items).toHaveLength(1)
  })
})

describe('download analytics', () => {
  test('have the attempts that were refused for their credential or their number', async () => {
    const from = { 'x-forwarded-for': randomAddress() }
    for (let tries = 0; tries < 2; tries += 1)
      expect(await download(file.uid, { ...from, authorization: 'Bearer svc_play_none' })).toBe(401)
    for (let tries = 2; tries < 60; tries += 1) expect(await download(file.uid, from)).toBe(200)
    for (let tries = 0; tries < 5; tries += 1) expect(await download(file.uid, from)).toBe(429)
    expect(await download(`${file.uid}/redirect`, from)).toBe(429)
    const path = `/api/v1/private/games/${game.uid}/files/${file.uid}/download`
    for (let tries = 0; tries < 3; tries += 1)
      expect((await server.fetch(path, { headers: from })).status).toBe(401)
    const counted = async () =>
      (await readCounts()).items.map(({ source, outcome, count }) => `${source} ${outcome} ${count}`).sort()
    const expected = [
      'library 4010 1',
      'redirect 4290 1',
      'signed_out 200 58',
      'signed_out 4010 2',
      'signed_out 4290 1',
    ]
    await waitFor('all attempts are written', async () => (await counted()).join() === expected.join())
  })

  test('count every attempt by day, source, client, country and outcome', async () => {
    for (let done = 0; done < 3; done += 1) await download(file.uid, { 'cf-ipcountry': 'de' })
    await download(`${file.uid}/redirect`, { 'user-agent': 'Wget/1.2', 'cf-ipcountry': 'XX' })
    const stranger = await signUp(server)
    await stranger.fetch(`/api/v1/private/games/${game.uid}/files/${file.uid}/download`, {
      headers: { 'user-agent': 'Mozilla/5.0 Firefox/144.0', 'cf-ipcountry': 'FR' },
    })
    const common = { day: TODAY, country: null }
    expect(await readCounts()).toEqual({
      items: [
        { ...common, source: 'signed_out', client: 'curl', country: 'DE', outcome: 200, count: 3 },
        { ...common, source: 'library', client: 'firefox', country: 'FR', outcome: 4030, count: 1 },
        { ...common, source: 'redirect', client: 'wget', outcome: 200, count: 1 },
      ],
      total: 3,
      page: 1,
      page_size: 20,
    } as Counts)
  })

  test('count refusals, each under its code', async () => {
    const build = await insertBuild(server, game.uid, { version: '2' })
    const [scanning, old] = [
      await insertFile(server, build, { scan: 'scanning' }),
      await insertFile(server, build, { filename: 'old.zip' }),
    ]
    expect(await download(scanning.uid)).toBe(409)
    expect(await download(old.uid)).toBe(404)
    await server.deps.db.execute(`update games set anonymous_downloads = false where uid = '${game.uid}'`)
    expect(await download(file.uid)).toBe(401)
    expect(await download(`${file.uid}/redirect`)).toBe(401)
    const { items } = await readCounts()
    expect(items.map(({ source, outcome, count }) => [source, outcome, count])).toEqual([
      ['redirect', 4001, 1],
      ['signed_out', 4001, 1],
      ['signed_out', 4040, 1],
      ['signed_out', 4099, 1],
    ])
  })

  test('keep attempts at what does not exist, for no listing', async () => {
    const unknown = createUid()
    expect(await download(unknown)).toBe(404)
    expect(await download('no-uid')).toBe(404)
    const row = await waitFor('the attempt is kept', async () => {
      const rows = await server.deps.db
        .select()
        .from(downloadEvents)
        .where(eq(downloadEvents.fileUid, unknown))
      return rows[0]
    })
    expect(row).toMatchObject({ gameUid: null, outcome: 4040, client: 'curl', country: null })
    expect(await readCounts()).toMatchObject({ total: 0 })
  })

  test('are written a moment later without being asked for', async () => {
    await download(file.uid)
    await waitFor('the attempt is kept', async () => {
      return (await server.deps.db.$count(downloadEvents, eq(downloadEvents.fileUid, file.uid))) === 1
    })
  })

  test('know nothing about who asked', async () => {
    await download(file.uid)
    await readCounts()
    const [row] = await server.deps.db
      .select()
      .from(downloadEvents)
      .where(eq(downloadEvents.fileUid, file.uid))
    expect(Object.keys(row ?? {}).toSorted()).toEqual(
      ['at', 'client', 'country', 'fileUid', 'gameUid', 'id', 'outcome', 'source'].toSorted(),
    )
  })

  test.each([
    ['', 2],
    ['?days=1', 1],
    ['?days=90', 3],
    ['?days=400', 3],
    ['?days=0', 1],
    ['?days=many', 2],
  ])('%p shows the days asked for, 90 at most', async (query, total) => {
    for (const daysAgo of [0, 29, 89, 90]) await insertEvent(daysAgo)
    expect((await readCounts(query)).total).toBe(total)
  })

  test('come in pages, newest day first', async () => {
    for (let daysAgo = 0; daysAgo < 5; daysAgo += 1) await insertEvent(daysAgo)
    const dayBefore = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10)
    const { items, total } = await readCounts('?page=2&page_size=2')
    expect(total).toBe(5)
    expect(items.map(({ day }) => day)).toEqual([dayBefore(2), dayBefore(3)])
    expect(await readCounts('?page=9')).toMatchObject({ items: [], total: 5 })
  })

  test('are forgotten after 400 days', async () => {
    await insertEvent(399)
    await insertEvent(401)
    await insertEvent(401, { gameUid: null })
    expect(await deleteOldEvents(server.deps, new AbortController().signal)).toBe(2)
    expect(await server.deps.db.$count(downloadEvents, eq(downloadEvents.gameUid, game.uid))).toBe(1)
  })

  test('are only for owner and admins', async () => {
    const stranger = await signUp(server)
    const path = `/api/v1/private/games/${game.uid}/analytics/downloads`
    expect((await stranger.fetch(path)).status).toBe(403)
  })
})

describe('the log of attempts', () => {
  const event = () => {
    return { at: new Date(), fileUid: file.uid, source: 'signed_out', client: 'other', outcome: 200 } as const
  }

  /** A log whose database fails as long as it is told to. */
  function openShakyLog() {
    const state = { isDown: true, tries: 0, close: async () => {} }
    const { db, log } = server.deps
    const shaky = new Proxy(db, {
      get(target, name) {
        if (name !== 'execute') return Reflect.get(target, name)
        return async (query: Parameters<typeof db.execute>[0]) => {
          state.tries += 1
          if (state.isDown) throw new Error('The database is away')
          return await target.execute(query)
        }
      },
    })
    const onDispose = (work: () => Promise<void>) => {
      state.close = work
    }
    return { state, log: openDownloadLog({ db: shaky, log, onDispose }) }
  }

  const countKept = () => server.deps.db.$count(downloadEvents, eq(downloadEvents.fileUid, file.uid))

  test('writes what is left when the program ends', async () => {
    const { state, log } = openShakyLog()
    state.isDown = false
    for (let done = 0; done < 1234; done += 1) log.add(event())
    await state.close()
    expect(await countKept()).toBe(1234)
  })

  test('tries again what could not be written, once each', async () => {
    const { state, log } = openShakyLog()
    for (let done = 0; done < 600; done += 1) log.add(event())
    await log.flush()
    expect(state.tries).toBe(1)
    state.isDown = false
    await waitFor('the attempts are kept', async () => (await countKept()) === 600)
    await state.close()
    expect(await countKept()).toBe(600)
  })

  test('holds back so many and no more', async () => {
    const { state, log } = openShakyLog()
    for (let done = 0; done < 20_100; done += 1) log.add(event())
    await log.flush()
    state.isDown = false
    await state.close()
    // Closing waits a few seconds at most, and so many take a busy machine longer.
    await log.flush()
    expect(await countKept()).toBe(20_000)
  })
})
