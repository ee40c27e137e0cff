import { describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import {
  buildHealth,
  gameBoots,
  launchSessions,
  sessionLengths,
} from '../../../../src/db/schema/telemetry.ts'
import type { HealthBand } from '../../../../src/domain/builds/health.ts'
import type { OperatingSystem } from '../../../../src/domain/builds/platforms.ts'
import { loadCards } from '../../../../src/features/catalog/pages/cards.ts'
import { compactOldSessions, updateRating } from '../../../../src/features/telemetry/health/rate-build.ts'
import { loadBandsOf } from '../../../../src/features/telemetry/health/service.ts'
import { type BuildRow, insertBuild, pointChannel } from '../../../helpers/builds.ts'
import { watchStatements } from '../../../helpers/catalog.ts'
import { makeEvent, sendEvents } from '../../../helpers/ingest.ts'
import { readData } from '../../../helpers/json.ts'
import { insertPublicGame } from '../../../helpers/listings.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'
import { waitFor } from '../../../helpers/wait.ts'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)

const DAY = 24 * 60 * 60 * 1000

async function rate(build: BuildRow, band: HealthBand): Promise<void> {
  const counts = { devices: 20, bootOk: 20, crashed: 0, medianSessionS: null }
  await server.deps.db
    .insert(buildHealth)
    .values({ buildUid: build.uid, band, ...counts, judgedAt: new Date() })
}

async function insertRated(
  gameUid: string,
  band: HealthBand | null,
  values: Parameters<typeof insertBuild>[2],
  app?: string,
): Promise<BuildRow> {
  const build = await insertBuild(server, gameUid, values, app)
  await pointChannel(server, build)
  if (band) await rate(build, band)
  return build
}

const readHealth = async (gameUid: string) => {
  const page = await server.fetch(`/api/v1/public/games/${gameUid}`)
  return (await readData<{ health: { band: HealthBand } }>(page)).health
}

/** On the page and on its card. */
const bandShown = async (gameUid: string) => {
  const health = await readHealth(gameUid)
  const [card] = await loadCards(server.deps, [gameUid])
  expect(card?.health).toEqual(health)
  return health.band
}

describe('a listing shows', () => {
  test.each<[HealthBand, Partial<Record<OperatingSystem, HealthBand | null>>]>([
    ['unrated', {}],
    ['unrated', { linux: null }],
    ['unrated', { linux: 'unrated' }],
    ['excellent', { linux: 'excellent', windows: 'unrated', macos: null }],
    ['healthy', { linux: 'excellent', windows: 'healthy' }],
    ['problematic', { linux: 'excellent', windows: 'problematic', macos: 'mixed' }],
  ])('%s, the worst band of its newest stable builds: %p', async (worst, bands) => {
    const game = await insertPublicGame(server, owner)
    for (const os of ['linux', 'windows', 'macos'] as const) {
      if (bands[os] !== undefined) await insertRated(game.uid, bands[os], { os })
    }
    expect(await bandShown(game.uid)).toBe(worst)
  })

  test('nothing of older builds, other channels and other apps', async () => {
    const game = await insertPublicGame(server, owner)
    await insertRated(game.uid, 'problematic', { version: '1.0.0' })
    await insertRated(game.uid, 'healthy', { version: '1.1.0' })
    await insertRated(game.uid, 'mixed', { version: '1.2.0', channel: 'beta' })
    await insertRated(game.uid, 'problematic', { version: '1.0.0' }, 'server')
    expect(await bandShown(game.uid)).toBe('healthy')
  })

  test('a new band as soon as it was judged, also on a page that is kept', async () => {
    const game = await insertPublicGame(server, owner)
    const build = await insertRated(game.uid, null, {})
    expect(await bandShown(game.uid)).toBe('unrated')
    const events = Array.from({ length: 20 }, (_, n) => makeEvent({ device_id: `${n}` }))
    await sendEvents(server, build, events)
    await updateRating(server.deps, build.uid, new Date())
    await waitFor('the page shows it', async () => (await readHealth(game.uid)).band === 'excellent')
    expect(await bandShown(game.uid)).toBe('excellent')
  })

  test('the bands of many listings with one query', async () => {
    const games = await Promise.all(Array.from({ length: 5 }, () => insertPublicGame(server, owner)))
    for (const { uid } of games) await insertRated(uid, 'mixed', {})
    const uids = games.map(({ uid }) => uid)
    const statements = await watchStatements(server, () => loadBandsOf(server.deps.db, uids))
    expect(statements).toHaveLength(1)
    expect([...(await loadBandsOf(server.deps.db, uids)).values()]).toEqual(Array(5).fill('mixed'))
  })
})

describe('what is over', () => {
  const fold = (days: number) => compactOldSessions(server.deps, new Date(Date.now() + days * DAY))
  const judged = async (build: BuildRow) => {
    await updateRating(server.deps, build.uid, new Date())
    const [row] = await server.deps.db.select().from(buildHealth).where(eq(buildHealth.buildUid, build.uid))
    return row
  }

  test('is counted after three days; nothing of a build’s health changes', async () => {
    await fold(4)
    const game = await insertPublicGame(server, owner)
    const build = await insertBuild(server, game.uid)
    const since = Date.now() - 60_000
    const at = (second: number) => new Date(since + second * 1000).toISOString()
    const events = [10, 20, 20, 40, 50].flatMap((seconds, n) => [
      makeEvent({ device_id: `${n}`, session_id: `${n}`, name: 'session_start', at: at(0) }),
      makeEvent({ device_id: `${n}`, session_id: `${n}`, at: at(1) }),
      makeEvent({ device_id: `${n}`, session_id: `${n}`, name: 'session_end', at: at(seconds) }),
    ])
    await sendEvents(server, build, [
      ...events,
      makeEvent({ device_id: 'crashed', name: 'crash' }),
      makeEvent({ device_id: 'only booted' }),
    ])
    const before = await judged(build)
    expect(before).toMatchObject({ devices: 7, bootOk: 6, crashed: 1, medianSessionS: 20 })

    expect(await fold(2)).toBe(0)
    expect(await fold(4)).toBe(6)
    expect(await judged(build)).toMatchObject({ ...before, judgedAt: expect.any(Date) })
    const ofBuild = eq(launchSessions.buildUid, build.uid)
    expect(await server.deps.db.select().from(launchSessions).where(ofBuild)).toHaveLength(1)
    const lengths = await server.deps.db
      .select()
      .from(sessionLengths)
      .where(eq(sessionLengths.buildUid, build.uid))
      .orderBy(sessionLengths.seconds)
    expect(lengths.map(({ seconds, count }) => [seconds, count])).toEqual([
      [10, 1],
      [20, 2],
      [40, 1],
      [50, 1],
    ])

    await sendEvents(server, build, events)
    expect(await fold(4)).toBe(5)
    expect(await judged(build)).toMatchObject({ medianSessionS: 20, devices: 7 })
  })

  test('the first boot_ok of a listing stays the first', async () => {
    const game = await insertPublicGame(server, owner)
    const [first, second] = [new Date(Date.now() - 7_200_000), new Date(Date.now() - 3_600_000)]
    for (const [version, at] of [
      ['1.0.0', second],
      ['1.1.0', first],
      ['1.2.0', second],
    ] as const) {
      const build = await insertBuild(server, game.uid, { version })
      await sendEvents(server, build, [makeEvent({ at: at.toISOString() })])
      await updateRating(server.deps, build.uid, new Date())
    }
    const rows = await server.deps.db.select().from(gameBoots).where(eq(gameBoots.gameUid, game.uid))
    expect(rows).toEqual([{ gameUid: game.uid, firstAt: first }])
  })
})
