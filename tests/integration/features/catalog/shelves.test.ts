import { beforeEach, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { users } from '../../../../src/db/schema/accounts.ts'
import { games } from '../../../../src/db/schema/games/games.ts'
import { buildHealth, gameBoots, launchDevices } from '../../../../src/db/schema/telemetry.ts'
import type { HealthBand } from '../../../../src/domain/builds/health.ts'
import { refreshShelves } from '../../../../src/features/catalog/shelves/service.ts'
import { updateRating } from '../../../../src/features/telemetry/health/rate-build.ts'
import { type BuildRow, insertBuild, insertFile, pointChannel } from '../../../helpers/builds.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { type GameRow, insertPublicGame } from '../../../helpers/listings.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'

const NOW = new Date('2026-05-20T18:00:00Z')
const DAY = 24 * 60 * 60 * 1000
const ago = (days: number, ms = 0) => new Date(NOW.getTime() - days * DAY + ms)

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)
beforeEach(async () => {
  await server.deps.db.update(games).set({ visibility: 'invisible' })
})

type GameValues = NonNullable<Parameters<typeof insertPublicGame>[2]>
type BuildValues = NonNullable<Parameters<typeof insertBuild>[2]>

interface Offer {
  game?: GameValues
  build?: BuildValues
  app?: string
  file?: Parameters<typeof insertFile>[2] | null
  band?: HealthBand | null
}

/** A listing that stands on both shelves, but for what is told otherwise. */
async function insertOffer(offer: Offer = {}): Promise<{ game: GameRow; build: BuildRow }> {
  const values: GameValues = { sessionBucket: '15m', publishedAt: ago(3), ...offer.game }
  const game = await insertPublicGame(server, owner, values)
  return { game, build: await insertOffered(game.uid, offer) }
}

async function insertOffered(gameUid: string, { build: values, app, file, band = 'excellent' }: Offer) {
  const build = await insertBuild(server, gameUid, values, app)
  if (file !== null) await insertFile(server, build, file)
  await pointChannel(server, build)
  if (band) await rate(build, band)
  return build
}

async function rate(build: BuildRow, band: HealthBand, bootOk = 0): Promise<void> {
  const counts = {
    devices: 20,
    bootOk,
    sharedBootOk: bootOk,
    crashed: 0,
    medianSessionS: null,
    judgedAt: NOW,
  }
  await server.deps.db.insert(buildHealth).values({ buildUid: build.uid, band, ...counts })
}

async function boot(build: BuildRow, from: number, to: number): Promise<void> {
  const devices = Array.from({ length: to - from }, (_, n) => `device ${from + n}`)
  const rows = devices.map((deviceId) => ({ buildUid: build.uid, deviceId, bootAt: NOW }))
  await server.deps.db.insert(launchDevices).values(rows)
}

interface Shelf {
  kind: string
  date: string
  os: string | null
  items: { uid: string }[]
}

const read = async (kind: string, query = '') =>
  await readData<Shelf>(await server.fetch(`/api/v1/public/shelves/${kind}${query}`))

async function shows(kind: string, uid: string, query = ''): Promise<boolean> {
  await refreshShelves(server.deps, NOW)
  return (await read(kind, query)).items.some((item) => item.uid === uid)
}

describe('both shelves', () => {
  test.each<[string, boolean, Offer]>([
    ['a public listing of a verified owner with a clean stable download', true, {}],
    ['an invisible one', false, { game: { visibility: 'invisible' } }],
    ['an adult one', false, { game: { adult: true, contentWarnings: ['nudity'] } }],
    ['one without a file', false, { file: null }],
    ['one whose file is still scanned', false, { file: { scan: 'scanning' } }],
    ['one whose file is infected', false, { file: { scan: 'infected' } }],
    ['one whose download is a beta', false, { build: { channel: 'beta' } }],
    ['one with nothing but a server', false, { app: 'server' }],
  ])('%s: %p', async (_, expected, offer) => {
    const { game } = await insertOffer(offer)
    for (const kind of ['tonight', 'unheard_of'])
      expect([kind, await shows(kind, game.uid)]).toEqual([kind, expected])
  })

  test('need an owner with a verified e-mail', async () => {
    const { game } = await insertOffer()
    const setVerified = (emailVerified: boolean) =>
      server.deps.db.update(users).set({ emailVerified }).where(eq(users.id, owner.uid))
    await setVerified(false)
    for (const kind of ['tonight', 'unheard_of']) expect(await shows(kind, game.uid)).toBe(false)
    await setVerified(true)
    for (const kind of ['tonight', 'unheard_of']) expect(await shows(kind, game.uid)).toBe(true)
  })

  test('show what runs on the asked system; no or an unknown one means any', async () => {
    const { game: linux } = await insertOffer()
    const { game: windows } = await insertOffer({ build: { os: 'windows' } })
    await refreshShelves(server.deps, NOW)
    for (const kind of ['tonight', 'unheard_of']) {
      const uids = async (query: string) => (await read(kind, query)).items.map(({ uid }) => uid).sort()
      expect(await uids('?os=linux')).toEqual([linux.uid])
      expect(await uids('?os=windows')).toEqual([windows.uid])
      expect(await uids('?os=macos')).toEqual([])
      for (const query of ['', '?os=', '?os=beos']) {
        expect(await uids(query)).toEqual([linux.uid, windows.uid].sort())
        expect((await read(kind, query)).os).toBeNull()
      }
      expect(await read(kind, '?os=linux')).toMatchObject({ kind, date: '2026-05-20', os: 'linux' })
    }
  })

  test('leave out at once what was hidden or became adult since they were filled', async () => {
    const [first, second, third] = [await insertOffer(), await insertOffer(), await insertOffer()]
    await refreshShelves(server.deps, NOW)
    const set = (uid: string, values: Partial<GameRow>) =>
      server.deps.db.update(games).set(values).where(eq(games.uid, uid))
    await set(first.game.uid, { visibility: 'draft' })
    await set(second.game.uid, { adult: true })
    for (const kind of ['tonight', 'unheard_of']) {
      expect((await read(kind)).items).toMatchObject([{ uid: third.game.uid }])
    }
  })

  test('another kind is 404/4040', async () => {
    for (const kind of ['best', 'Tonight', 'toString']) {
      const answer = await server.fetch(`/api/v1/public/shelves/${kind}`)
      expect(await readFailure(answer)).toMatchObject({ status: 404, code: 4040 })
    }
  })

  test('carry a validator and answer 304', async () => {
    const answer = await server.fetch('/api/v1/public/shelves/tonight')
    const etag = answer.headers.get('etag') ?? ''
    const again = await server.fetch('/api/v1/public/shelves/tonight', { headers: { 'if-none-match': etag } })
    expect(again.status).toBe(304)
  })
})

describe('tonight shows', () => {
  test.each<[string, boolean, GameValues]>([
    ['a game of 15 minutes', true, {}],
    ['a game of an hour', false, { sessionBucket: '1h' }],
    ['a game that does not tell', false, { sessionBucket: null }],
    ['an application', false, { assetType: 'application' }],
    ['an old game', true, { publishedAt: ago(900) }],
  ])('%s: %p', async (_, expected, game) => {
    expect(await shows('tonight', (await insertOffer({ game })).game.uid)).toBe(expected)
  })

  test.each<[boolean, HealthBand | null]>([
    [true, 'excellent'],
    [true, 'healthy'],
    [false, 'mixed'],
    [false, 'problematic'],
    [false, 'unrated'],
    [false, null],
  ])('%p when the newest stable build is %p', async (expected, band) => {
    expect(await shows('tonight', (await insertOffer({ band })).game.uid)).toBe(expected)
  })

  test('the band of the asked system, whatever it is elsewhere', async () => {
    const { game } = await insertOffer()
    await insertOffered(game.uid, { build: { os: 'windows' }, band: 'problematic' })
    expect(await shows('tonight', game.uid, '?os=linux')).toBe(true)
    expect(await shows('tonight', game.uid, '?os=windows')).toBe(false)
    expect(await shows('tonight', game.uid)).toBe(true)
  })

  test('nothing whose second architecture has problems; one that is not rated yet does no harm', async () => {
    const { game } = await insertOffer()
    const second = await insertOffered(game.uid, { build: { arch: 'arm64' }, band: null })
    expect(await shows('tonight', game.uid, '?os=linux')).toBe(true)
    await rate(second, 'mixed')
    expect(await shows('tonight', game.uid, '?os=linux')).toBe(false)
  })
})

describe('unheard_of shows', () => {
  test.each<[string, boolean, Offer]>([
    ['a game', true, {}],
    ['an application', true, { game: { assetType: 'application' } }],
    [
      'a tool',
      false,
      { game: { assetType: 'tool', parentExternalName: 'X', parentExternalUrl: 'https://x.example' } },
    ],
    ['a build without a rating', true, { band: null }],
    ['a build with problems', true, { band: 'problematic' }],
    ['a game of an hour', true, { game: { sessionBucket: '1h' } }],
    ['what was published 30 days ago', true, { game: { publishedAt: ago(30) } }],
    ['what was published more than 30 days ago', false, { game: { publishedAt: ago(30, -1) } }],
    ['a page that fails the listing check', false, { game: { tagline: '' } }],
  ])('%s: %p', async (_, expected, offer) => {
    expect(await shows('unheard_of', (await insertOffer(offer)).game.uid)).toBe(expected)
  })

  test.each([
    ['boot_ok on 49 devices', true, 49],
    ['boot_ok on 50 devices', false, 50],
  ])('%s: %p', async (_, expected, devices) => {
    const { game, build } = await insertOffer()
    await boot(build, 0, devices)
    expect(await shows('unheard_of', game.uid)).toBe(expected)
  })

  test('by the devices of all builds together, each counted once', async () => {
    const { game, build } = await insertOffer()
    const older = await insertBuild(server, game.uid, { version: '0.9.0' })
    await boot(build, 0, 40)
    await boot(older, 0, 40)
    expect(await shows('unheard_of', game.uid)).toBe(true)
    await boot(older, 40, 50)
    expect(await shows('unheard_of', game.uid)).toBe(false)
  })

  test('what many devices have started only the server of', async () => {
    const { game } = await insertOffer()
    const dedicated = await insertBuild(server, game.uid, {}, 'server')
    await boot(dedicated, 0, 60)
    await updateRating(server.deps, dedicated.uid, NOW)
    expect(await server.deps.db.$count(gameBoots, eq(gameBoots.gameUid, game.uid))).toBe(0)
    expect(await shows('unheard_of', game.uid)).toBe(true)
  })

  test('a listing until 14 days after its first boot_ok', async () => {
    const { game } = await insertOffer()
    await server.deps.db.insert(gameBoots).values({ gameUid: game.uid, firstAt: ago(14) })
    expect(await shows('unheard_of', game.uid)).toBe(true)
    await server.deps.db
      .update(gameBoots)
      .set({ firstAt: ago(14, -1) })
      .where(eq(gameBoots.gameUid, game.uid))
    expect(await shows('unheard_of', game.uid)).toBe(false)
  })
})

describe('the order', () => {
  test('is the same all day, another one the next, and has 12 places', async () => {
    for (let n = 0; n < 15; n += 1) await insertOffer()
    const order = async (now: Date) => {
      await refreshShelves(server.deps, now)
      const shelves = await Promise.all(['tonight', 'unheard_of'].map((kind) => read(kind)))
      for (const { date, items } of shelves) {
        expect(date).toBe(now.toISOString().slice(0, 10))
        expect(items).toHaveLength(12)
      }
      expect(shelves[0]?.items.map(({ uid }) => uid)).toEqual(shelves[1]?.items.map(({ uid }) => uid))
      return shelves[0]?.items.map(({ uid }) => uid)
    }
    const today = await order(new Date('2026-05-20T00:00:00Z'))
    expect(await order(new Date('2026-05-20T23:59:59.999Z'))).toEqual(today)
    expect(await order(new Date('2026-05-21T00:00:00Z'))).not.toEqual(today)
  })

  test('stays full when some are hidden within the minute', async () => {
    for (let n = 0; n < 15; n += 1) await insertOffer()
    await refreshShelves(server.deps, NOW)
    const [first] = (await read('tonight')).items
    await server.deps.db
      .update(games)
      .set({ visibility: 'draft' })
      .where(eq(games.uid, first?.uid ?? ''))
    expect((await read('tonight')).items).toHaveLength(12)
  })
})
