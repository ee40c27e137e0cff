import { beforeAll, describe, expect, test } from 'bun:test'

import { and, asc, count, eq, isNotNull, like, sql } from 'drizzle-orm'

import { loadDemo, parseCount, runDemo } from '../../../src/commands/demo.ts'
import { users } from '../../../src/db/schema/accounts.ts'
import { files } from '../../../src/db/schema/builds.ts'
import { developerFollows, gameFollows } from '../../../src/db/schema/follows.ts'
import { images, pressKits } from '../../../src/db/schema/games/game-pages.ts'
import { licenses, playTimes, reviews } from '../../../src/db/schema/games/game-players.ts'
import { games } from '../../../src/db/schema/games/games.ts'
import { noticeEvents } from '../../../src/db/schema/notices.ts'
import { pageReports } from '../../../src/db/schema/operate.ts'
import { buildHealth, crashGroups, launchDevices } from '../../../src/db/schema/telemetry.ts'
import { inventListing } from '../../../src/demo/bulk/listing.ts'
import { loadBulkCatalog } from '../../../src/demo/bulk/load.ts'
import { loadDemoCatalog } from '../../../src/demo/catalog.ts'
import { loadDemoTelemetry } from '../../../src/demo/usage.ts'
import { ASSET_TYPES } from '../../../src/domain/listings/listing.ts'
import { continueReindex } from '../../../src/features/catalog/search/reindex.ts'
import { refreshShelves } from '../../../src/features/catalog/shelves/service.ts'
import { loadReport } from '../../../src/features/listings/check/service.ts'
import { readData } from '../../helpers/json.ts'
import { useStore } from '../../helpers/store.ts'

const PAGE = 'desk-aquarium'

const server = useStore({ TRUST_PROXY: '1' })
let said: string
beforeAll(async () => {
  said = await loadDemo(server.deps)
})

const db = () => server.deps.db

async function countOf(where: ReturnType<typeof eq>): Promise<number> {
  const [row] = await db().select({ count: count() }).from(games).where(where)
  return row?.count ?? 0
}

describe('demo', () => {
  test('loads at least 60 public listings, of all seven types, by several developers', async () => {
    expect(said).toMatch(/^Demo data loaded: 4 accounts, \d+ listings, \d+ builds\.$/)
    expect(await countOf(eq(games.visibility, 'public'))).toBeGreaterThanOrEqual(60)
    const types = await db()
      .select({ type: games.assetType, count: count() })
      .from(games)
      .where(eq(games.visibility, 'public'))
      .groupBy(games.assetType)
    const least = { game: 30, application: 6, tool: 5, mod: 8, plugin: 5, game_asset: 6, dev_asset: 4 }
    for (const type of ASSET_TYPES) {
      expect(types.find((row) => row.type === type)?.count ?? 0).toBeGreaterThanOrEqual(least[type])
    }
    const owners = await db().selectDistinct({ uid: games.ownerUid }).from(games)
    expect(owners.length).toBeGreaterThanOrEqual(8)
  })

  test('run again adds nothing, and neither do two at once', async () => {
    expect(await loadDemo(server.deps)).toBe('The demo data is already loaded.')
    await db().delete(games).where(eq(games.vanityName, PAGE))
    const added = await Promise.all([loadDemoCatalog(server.deps), loadDemoCatalog(server.deps)])
    expect(added.toSorted((a, b) => a - b)).toEqual([0, 1])
  })

  test('every public listing passes the check', async () => {
    const rows = await db().select().from(games).where(eq(games.visibility, 'public'))
    for (const { uid, vanityName } of rows) {
      expect({ vanityName, errors: (await loadReport(db(), uid)).errors }).toEqual({ vanityName, errors: [] })
    }
  })

  test('shows everything a page can have', async () => {
    const found = async (where: ReturnType<typeof sql>) => await countOf(sql`${where}`)
    expect(await found(sql`parent_uid is not null`)).toBeGreaterThan(15)
    expect(await found(sql`parent_external_name is not null`)).toBe(1)
    expect(await found(sql`adult and cardinality(content_warnings) > 0`)).toBeGreaterThan(1)
    expect(await found(sql`price_cents > 0`)).toBeGreaterThan(20)
    expect(await found(sql`cardinality(ai_uses) > 0`)).toBeGreaterThan(5)
    expect(await found(sql`inputs @> '{vr}'`)).toBeGreaterThan(1)
    expect(await found(sql`jsonb_array_length(engine_compat) > 0`)).toBeGreaterThan(8)
    for (const visibility of ['draft', 'owner', 'invisible'] as const) {
      expect(await countOf(eq(games.visibility, visibility))).toBeGreaterThan(0)
    }
    for (const table of [pressKits, reviews]) {
      const [row] = await db().select({ count: count() }).from(table)
      expect(row?.count).toBeGreaterThan(4)
    }
  })

  test('has an operator, who finds reports and a refused file', async () => {
    const [operator] = await db().select().from(users).where(eq(users.email, 'operator@demo.example'))
    expect(operator).toMatchObject({ operator: true, emailVerified: true })
    expect(await db().$count(pageReports, eq(pageReports.state, 'open'))).toBe(3)
    expect(await db().$count(files, eq(files.scan, 'infected'))).toBe(1)
  })

  test('has posts with pictures, an answered review, and people who follow and wish', async () => {
    const page = await (await server.fetch('/games/glasshouse')).text()
    expect(page).toContain('What the parrot saw')
    const news = await (await server.fetch('/games/glasshouse/posts/what-the-parrot-saw')).text()
    expect(news).toMatch(/<img[^>]+\/media\//)
    expect((await server.fetch('/games/undo-dungeon/posts/notes-on-forgetting')).status).toBe(404)
    const { items } = await readData<{ items: { answer: { text: string } | null }[] }>(
      await server.fetch('/api/v1/public/games/neon-allotment/reviews'),
    )
    expect(items.filter(({ answer }) => answer !== null)).toHaveLength(1)
    expect(await db().$count(gameFollows, eq(gameFollows.wish, true))).toBeGreaterThan(5)
    const followers = await db().$count(developerFollows)
    expect(followers).toBeGreaterThan(5)
    await db().delete(developerFollows)
    await loadDemo(server.deps)
    expect(await db().$count(developerFollows)).toBe(0)
  })

  test('tells those who follow of posts, releases, prices and answers, each at its time', async () => {
    const rows = await db().select({ kind: noticeEvents.kind, at: noticeEvents.at }).from(noticeEvents)
    const kinds = new Set(rows.map(({ kind }) => kind))
    for (const kind of ['release', 'post', 'new_game', 'price', 'review_answer'] as const)
      expect(kinds).toContain(kind)
    const days = new Set(rows.map(({ at }) => at.toISOString().slice(0, 10)))
    expect(days.size).toBeGreaterThan(30)
  })

  test('has a jam that runs, one that is voted on, and one with results', async () => {
    for (const [state, slug] of [
      ['running', 'two-buttons'],
      ['voting', 'slow-jam'],
      ['past', 'weekend-of-small-boats'],
    ] as const) {
      const { items } = await readData<{ items: { slug: string }[] }>(
        await server.fetch(`/api/v1/public/jams?state=${state}`),
      )
      expect(items.map((jam) => jam.slug)).toEqual([slug])
      expect((await server.fetch(`/jams/${slug}`)).status).toBe(200)
    }
    const entries = await readData<{ items: { build: unknown }[] }>(
      await server.fetch('/api/v1/public/jams/slow-jam/entries'),
    )
    expect(entries.items.length).toBeGreaterThan(3)
    expect(entries.items.filter(({ build }) => build === null)).toEqual([])
    const results = await readData<{ items: { rank: number | null; game: { vanity_name: string } }[] }>(
      await server.fetch('/api/v1/public/jams/weekend-of-small-boats/results'),
    )
    const first = results.items.find(({ rank }) => rank === 1)
    expect(first?.game.vanity_name).toBe('the-last-ferry')
  })

  test('who reviewed has a licence and has played', async () => {
    const rows = await db()
      .select({ seconds: playTimes.seconds, licensed: licenses.userUid })
      .from(reviews)
      .leftJoin(
        licenses,
        sql`(${licenses.userUid}, ${licenses.gameUid}) = (${reviews.userUid}, ${reviews.gameUid})`,
      )
      .leftJoin(
        playTimes,
        sql`(${playTimes.userUid}, ${playTimes.gameUid}) = (${reviews.userUid}, ${reviews.gameUid})`,
      )
    expect(rows.filter(({ seconds, licensed }) => !seconds || !licensed)).toEqual([])
  })

  test('covers differ from page to page, and are served', async () => {
    const covers = await db().select().from(images).where(eq(images.kind, 'cover'))
    expect(new Set(covers.map(({ objectKey }) => objectKey)).size).toBe(covers.length)
    const shown = await readData<{ cover: { url: string } }>(
      await server.fetch(`/api/v1/public/games/${PAGE}`),
    )
    const answer = await fetch(shown.cover.url)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/webp'])
    expect(await new Bun.Image(await answer.arrayBuffer()).metadata()).toMatchObject({
      width: 640,
      height: 360,
    })
  })
})

describe('what demo players told', () => {
  test('is there once, however often it is loaded', async () => {
    const devices = await db().$count(launchDevices)
    expect(devices).toBeGreaterThan(20)
    expect(await loadDemoTelemetry(server.deps)).toBe(0)
    expect(await db().$count(launchDevices)).toBe(devices)
  })

  test('gives builds of several bands, and crashes', async () => {
    const bands = new Set((await db().select().from(buildHealth)).map(({ band }) => band))
    for (const band of ['excellent', 'healthy', 'unrated'] as const) expect(bands).toContain(band)
    expect(await db().$count(crashGroups)).toBeGreaterThan(5)
  })

  test('fills both shelves', async () => {
    await refreshShelves(server.deps, new Date())
    for (const kind of ['tonight', 'unheard_of']) {
      const answer = await server.fetch(`/api/v1/public/shelves/${kind}`)
      const { items } = await readData<{ items: unknown[] }>(answer)
      expect(items.length).toBeGreaterThan(3)
    }
  })
})

describe('demo --count', () => {
  const made = () =>
    db()
      .select({ name: games.name, vanityName: games.vanityName, tags: games.tags, uid: games.uid })
      .from(games)
      .innerJoin(users, eq(users.id, games.ownerUid))
      .where(like(users.email, 'bulk-%'))
      .orderBy(asc(games.uid))

  test('adds so many generated listings, which pass the check', async () => {
    expect(await runDemo(server.deps, 500)).toContain('500 generated listings added.')
    const rows = await made()
    expect(rows).toHaveLength(500)
    for (const { uid, vanityName } of rows.slice(0, 60)) {
      expect({ vanityName, errors: (await loadReport(db(), uid)).errors }).toEqual({ vanityName, errors: [] })
    }
    const [children] = await db().select({ count: count() }).from(games).where(isNotNull(games.parentUid))
    expect(children?.count).toBeGreaterThan(60)
  })

  test('run again adds nothing, and more goes on where it stopped', async () => {
    const before = await made()
    expect(await runDemo(server.deps, 500)).toContain('There are already 500 generated listings.')
    expect(await runDemo(server.deps, 620)).toContain('120 generated listings added.')
    const after = await made()
    expect(after).toHaveLength(620)
    expect(after.slice(0, 500)).toEqual(before)
  })

  test('goes on after it was interrupted, and the server indexes what was added', async () => {
    const interrupted = loadBulkCatalog(server.deps, 2700, ({ done }) => {
      if (done > 620) throw new Error('interrupted')
    })
    expect(interrupted).rejects.toThrow('interrupted')
    await interrupted.catch(() => undefined)
    expect(await made()).toHaveLength(2620)
    expect(await runDemo(server.deps, 2700)).toContain('80 generated listings added.')
    await continueReindex(server.deps)
    const listed = await db().execute<{ uid: string }>(
      sql`select game_uid as uid from search_documents where document is not null`,
    )
    const indexed = new Set(listed.map(({ uid }) => uid))
    const isPublic = and(like(users.email, 'bulk-%'), eq(games.visibility, 'public'))
    const wanted = await db()
      .select({ uid: games.uid })
      .from(games)
      .innerJoin(users, eq(users.id, games.ownerUid))
      .where(isPublic)
    expect(wanted.length).toBeGreaterThan(2500)
    expect(wanted.filter(({ uid }) => !indexed.has(uid))).toEqual([])
  })

  test('makes the same listings everywhere', async () => {
    const today = new Date()
    const invented = Array.from({ length: 2700 }, (_, number) => inventListing(number, today).row)
    const rows = await made()
    expect(rows.map(({ uid }) => uid)).toEqual(invented.flatMap(({ uid }) => uid ?? []))
    expect(rows.map(({ name, vanityName, tags }) => ({ name, vanityName, tags }))).toEqual(
      invented.map(({ name, vanityName, tags = [] }) => ({ name, vanityName, tags })),
    )
  })

  test.each([
    [['--count']],
    [['--count', '0']],
    [['--count', '-5']],
    [['--count', 'many']],
    [['--size', '5']],
  ])('%p is refused', (options) => {
    expect(() => parseCount(options)).toThrow('demo takes --count')
  })

  test('takes a number, or none', () => {
    expect(parseCount([])).toBeNull()
    expect(parseCount(['--count', '100000'])).toBe(100_000)
  })
})
