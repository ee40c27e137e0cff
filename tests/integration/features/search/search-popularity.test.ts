import { describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { builds } from '../../../../src/db/schema/builds.ts'
import { downloadEvents } from '../../../../src/db/schema/catalog.ts'
import { games } from '../../../../src/db/schema/games/games.ts'
import { searchDocuments } from '../../../../src/db/schema/search.ts'
import { launchDevices, launchSessions } from '../../../../src/db/schema/telemetry.ts'
import { updatePopularity } from '../../../../src/features/catalog/search/popularity.ts'
import { DAY_MS } from '../../../../src/lib/time.ts'
import { insertBuild } from '../../../helpers/builds.ts'
import { type GameRow, insertGame, insertPublicGame } from '../../../helpers/listings.ts'
import { signUp } from '../../../helpers/people.ts'
import { indexNow, namesOf, searchFor } from '../../../helpers/search/search.ts'
import { useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const ago = (days: number) => new Date(Date.now() - days * DAY_MS)
const numbers = (count: number) => Array.from({ length: count }, (_, at) => at + 1)

interface Launches {
  devices: number
  networks: number
  heardAt?: Date
  app?: string
  booted?: boolean
}

async function launch(
  game: GameRow,
  { devices, networks, heardAt = ago(1), app, booted = true }: Launches,
): Promise<void> {
  const version = crypto.randomUUID().slice(0, 8)
  const build = await insertBuild(server, game.uid, { version }, app)
  await server.deps.db.insert(launchDevices).values(
    numbers(devices).map((at) => ({
      buildUid: build.uid,
      deviceId: `device-${at}`,
      bootAt: booted ? heardAt : null,
      network: BigInt(1 + (at % networks)),
      heardAt,
    })),
  )
}

interface Downloads {
  count: number
  client?: string
  country?: string
  at?: Date
  outcome?: number
}

async function download(
  { uid: gameUid }: GameRow,
  { count, client = 'firefox', country = 'SE', at = ago(1), outcome = 200 }: Downloads,
): Promise<void> {
  const row = { gameUid, fileUid: null, source: 'signed_out' as const, client, country, at, outcome }
  await server.deps.db.insert(downloadEvents).values(numbers(count).map(() => row))
}

const popularityOf = async ({ uid }: GameRow) => {
  const [row] = await server.deps.db
    .select({ popularity: games.popularity })
    .from(games)
    .where(eq(games.uid, uid))
  return row?.popularity ?? -1
}

const versionOf = async ({ uid }: GameRow) => {
  const [row] = await server.deps.db
    .select({ version: searchDocuments.version })
    .from(searchDocuments)
    .where(eq(searchDocuments.gameUid, uid))
  return row?.version
}

const count = () => updatePopularity(server.deps, new Date())

describe('popular games', () => {
  test('are ordered by their players and downloads, with one source damped', async () => {
    const owner = await signUp(server)
    const insert = (name: string) => insertPublicGame(server, owner, { name, tags: ['contest'] })
    const [loved, pushed, fetched, pulled, quiet] = [
      await insert('Loved'),
      await insert('Pushed'),
      await insert('Fetched'),
      await insert('Pulled'),
      await insert('Quiet'),
    ]
    await launch(loved, { devices: 40, networks: 40 })
    await launch(pushed, { devices: 900, networks: 1 })
    for (const country of ['SE', 'NO', 'DK', 'FI']) await download(fetched, { count: 9, country })
    await download(pulled, { count: 800 })
    await count()
    await indexNow(server, quiet.uid)
    const found = namesOf(await searchFor(server, 'tags=contest&sort=popular'))
    expect(found).toEqual(['Loved', 'Fetched', 'Pulled', 'Pushed', 'Quiet'])
    expect(await popularityOf(quiet)).toBe(0)
  })

  test('count what happened in the last 30 days to the game itself', async () => {
    const owner = await signUp(server)
    const game = await insertPublicGame(server, owner)
    await launch(game, { devices: 5, networks: 5, heardAt: ago(31) })
    await launch(game, { devices: 5, networks: 5, app: 'server' })
    await launch(game, { devices: 5, networks: 5, booted: false })
    await download(game, { count: 5, at: ago(31) })
    await download(game, { count: 5, outcome: 4290 })
    await count()
    expect(await popularityOf(game)).toBe(0)
    await download(game, { count: 1, at: ago(29) })
    await count()
    expect(await popularityOf(game)).toBe(Math.round(100 * Math.log(2)))
  })

  test('count devices that come back, each once', async () => {
    const owner = await signUp(server)
    const game = await insertPublicGame(server, owner)
    await launch(game, { devices: 3, networks: 3, heardAt: ago(90) })
    await count()
    expect(await popularityOf(game)).toBe(0)
    const [build] = await server.deps.db.select().from(builds).where(eq(builds.gameUid, game.uid))
    const session = { buildUid: build?.uid ?? '', deviceId: 'device-1', bootAt: ago(1), heardAt: ago(1) }
    await server.deps.db.insert(launchSessions).values([
      { ...session, sessionId: 'one' },
      { ...session, sessionId: 'two' },
    ])
    await launch(game, { devices: 1, networks: 1 })
    await count()
    // `device-1` of both builds is one device.
    expect(await popularityOf(game)).toBe(Math.round(100 * Math.log(2)))
  })

  test('only what changed is stored and indexed again', async () => {
    const owner = await signUp(server)
    const [busy, calm] = [await insertPublicGame(server, owner), await insertPublicGame(server, owner)]
    const draft = await insertGame(server, owner)
    await indexNow(server, busy.uid, calm.uid)
    await count()
    await indexNow(server)
    const before = [await versionOf(busy), await versionOf(calm)]
    await launch(busy, { devices: 4, networks: 4 })
    await launch(draft, { devices: 4, networks: 4 })
    expect(await count()).toBe(1)
    await indexNow(server)
    expect(await versionOf(busy)).toBeGreaterThan(before[0] ?? 0)
    expect(await versionOf(calm)).toBe(before[1])
    expect(await popularityOf(draft)).toBe(0)
    expect(await count()).toBe(0)
  })

  test('never wait for an edit', async () => {
    const owner = await signUp(server)
    const game = await insertPublicGame(server, owner)
    await count()
    await launch(game, { devices: 2, networks: 2 })
    const [edited, counted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const edit = server.deps.db.transaction(async (tx) => {
      await tx.update(games).set({ tagline: 'Edited' }).where(eq(games.uid, game.uid))
      edited.resolve()
      await counted.promise
    })
    await edited.promise
    expect(await count()).toBe(0)
    counted.resolve()
    await edit
    expect(await count()).toBe(1)
    expect(await popularityOf(game)).toBe(Math.round(100 * Math.log(3)))
  })
})
