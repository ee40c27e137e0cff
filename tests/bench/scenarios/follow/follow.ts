import { join } from 'node:path'

import { and, gte } from 'drizzle-orm'
import postgres from 'postgres'

import { type Database, openDatabase } from '../../../../src/db/client.ts'
import { anyOf } from '../../../../src/db/lists.ts'
import { apps, builds, files } from '../../../../src/db/schema/builds.ts'
import { noticeEvents } from '../../../../src/db/schema/notices.ts'
import { settleChannel } from '../../../../src/features/builds/channels/moves.ts'
import { sha256Hex } from '../../../../src/lib/bytes/hash.ts'
import { createUid } from '../../../../src/lib/ids.ts'
import { ROOT } from '../../environment.ts'
import { judge, type Line, type Measured } from '../../report/line.ts'
import { type Latency, median, summarise } from '../../report/statistics.ts'
import { createCatalogSettings } from '../../search-data.ts'
import { startServerProcess } from '../../server-process.ts'
import type { Scenario } from '../scenario.ts'
import {
  FEW,
  fillFollows,
  type FollowData,
  FOLLOWERS,
  followLikePlayers,
  FOLLOWS_EACH,
  growFollows,
  PLAYERS,
} from './data.ts'
import { digestLines, measureDigests } from './digests.ts'

const scenario = 'follow'
const KEYS = 200
const PUBLICATIONS = 60
const WARM_UP = 100
const READINGS = 500
const VIEWS = 500
const READ_P95_MS = 20
/** With a hundred times the follows, and against none. */
const GROWTH_RATIO = 1.5
const FEW_DIGESTS = 5000
/** What the process asks the database by itself while nobody does anything. */
const STATEMENTS_PER_VIEW = 0.05
/** After which the database has written down what it counted. */
const COUNTED_AFTER_MS = 2000

export const follow: Scenario = {
  name: scenario,
  about: `${show(FOLLOWERS)} follows of one game, ${show(PLAYERS)} players with ${FOLLOWS_EACH} each: publishing, notices and digests`,
  isLong: true,
  async run(environment) {
    const settings = await createCatalogSettings(environment)
    const databaseUrl = settings.DATABASE_URL ?? ''
    // Without jobs of its own, which would send digests, too.
    const start = () =>
      startServerProcess({
        command: [process.execPath, join(ROOT, 'src/main.ts'), 'serve'],
        path: '/health',
        env: { ...settings, ROLE: 'api' },
      })
    // The first start migrates the database.
    await (await start()).stop()
    const data = await fillFollows(databaseUrl, KEYS)
    const server = await start()
    const database = openDatabase(databaseUrl, { maxConnections: 2 })
    try {
      const cookie = await signUp(server.url, databaseUrl)
      const readPage = (sent: number) => read(`${server.url}/notices`, sent, { cookie })
      const measureSize = async (digests: number) => ({
        page: await measureReading((sent) => readPage(sent)),
        digests: await measureDigests(settings, digests, readPage),
        publishing: await measurePublishing(database.db, data),
      })
      const few = await measureSize(FEW_DIGESTS)
      await growFollows(databaseUrl)
      const api = await measureReading((sent) =>
        read(`${server.url}/api/v1/private/notices`, sent, {
          authorization: `Bearer ${data.keys[sent % KEYS]}`,
        }),
      )
      const views = await measureViews(server.url, databaseUrl, cookie)
      const all = await measureSize(PLAYERS)
      const growth = (measure: string, unit: string, of: (size: typeof all) => number) =>
        judge({
          scenario,
          measure: `${measure} with ${show(FOLLOWERS)} follows, against ${show(FEW)}`,
          unit,
          subject: of(all),
          baseline: of(few),
          target: { of: 'ratio', must: 'stay below', value: GROWTH_RATIO },
        })
      return [
        judge({
          scenario,
          measure: 'publishing, against a game nobody follows',
          unit: 'ms',
          subject: all.publishing.popular,
          baseline: all.publishing.unknown,
          target: { of: 'ratio', must: 'stay below', value: GROWTH_RATIO },
        }),
        judge(reading('GET /api/v1/private/notices', api)),
        judge(reading('/notices', all.page)),
        views,
        ...digestLines(scenario, PLAYERS, all.digests),
        growth('publishing', 'ms', ({ publishing }) => publishing.popular),
        growth('p95 latency of /notices', 'ms', ({ page }) => page.p95),
        growth('a digest', 'ms', ({ digests: { figures } }) => (figures.seconds / figures.sent) * 1000),
      ]
    } finally {
      await database.dispose()
      await server.stop()
    }
  },
}

function show(number: number): string {
  return number.toLocaleString('en')
}

function reading(name: string, latency: Latency): Measured {
  return {
    scenario,
    measure: `${name}: p95 latency`,
    unit: 'ms',
    details: latency,
    subject: latency.p95,
    baseline: null,
    target: { of: 'subject', must: 'stay below', value: READ_P95_MS },
  }
}

async function signUp(url: string, databaseUrl: string): Promise<string> {
  const email = 'reader@bench.example'
  const answer = await fetch(`${url}/api/auth/sign-up/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: new URL(url).origin },
    body: JSON.stringify({ name: 'Reader', email, password: 'only for measuring' }),
  })
  if (!answer.ok) throw new Error(`The sign-up answered ${answer.status}: ${await answer.text()}`)
  await followLikePlayers(databaseUrl, email)
  return answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';', 1)[0])
    .join('; ')
}

/** The last step of a scan: the channel moves, and the release is recorded. Medians, in milliseconds. */
async function measurePublishing(db: Database, { popular, unknown }: FollowData) {
  const times = new Map<string, number[]>([
    [popular, []],
    [unknown, []],
  ])
  const begun = new Date()
  for (let turn = 0; turn < PUBLICATIONS; turn += 1) {
    for (const [gameUid, taken] of times) {
      const buildUid = await insertCleanBuild(db, gameUid, `1.${turn}.${Date.now()}`)
      const started = performance.now()
      await db.transaction((tx) => settleChannel(tx, buildUid, 'bench'))
      if (turn > PUBLICATIONS / 6) taken.push(performance.now() - started)
    }
  }
  // Notices and digests are the same afterwards.
  await db
    .delete(noticeEvents)
    .where(and(anyOf(noticeEvents.gameUid, [popular, unknown]), gte(noticeEvents.at, begun)))
  return { popular: median(times.get(popular) ?? []), unknown: median(times.get(unknown) ?? []) }
}

async function insertCleanBuild(db: Database, gameUid: string, version: string): Promise<string> {
  const app = { gameUid, slug: 'main', name: 'Game' }
  const [row] = await db
    .insert(apps)
    .values(app)
    .onConflictDoUpdate({ target: [apps.gameUid, apps.slug], set: { name: app.name } })
    .returning()
  const [uid, fileUid] = [createUid(), createUid()]
  const place = { os: 'linux', arch: 'x86_64', channel: 'stable', buildType: 'game' } as const
  await db.insert(builds).values({ uid, gameUid, appUid: row?.uid ?? '', version, ...place })
  await db.insert(files).values({
    uid: fileUid,
    gameUid,
    buildUid: uid,
    filename: 'game.zip',
    size: 1000,
    checksum: sha256Hex(fileUid),
    objectKey: `builds/${gameUid}/${fileUid}.zip`,
    scan: 'clean',
    source: 'website',
  })
  return uid
}

/** One after the other, so that queueing is not measured. */
async function measureReading(readOne: (sent: number) => Promise<void>): Promise<Latency> {
  const times: number[] = []
  for (let sent = 0; sent < WARM_UP + READINGS; sent += 1) {
    const started = performance.now()
    await readOne(sent)
    times.push(performance.now() - started)
  }
  return summarise(times.slice(WARM_UP))
}

/** Views of a page that shows nothing of the database but the bell. */
async function measureViews(url: string, databaseUrl: string, cookie: string): Promise<Line> {
  const sql = postgres(databaseUrl, { max: 1 })
  const countTransactions = async () => {
    await Bun.sleep(COUNTED_AFTER_MS)
    const [row] = await sql<{ count: string }[]>`
      select xact_commit as count from pg_stat_database where datname = current_database()`
    return Number(row?.count)
  }
  try {
    await read(`${url}/rules`, 0, { cookie })
    const before = await countTransactions()
    for (let sent = 0; sent < VIEWS; sent += 1) await read(`${url}/rules`, sent, { cookie })
    return judge({
      scenario,
      measure: 'statements for a page view while nothing changes',
      unit: 'statements',
      subject: ((await countTransactions()) - before) / VIEWS,
      baseline: null,
      target: { of: 'subject', must: 'stay below', value: STATEMENTS_PER_VIEW },
    })
  } finally {
    await sql.end()
  }
}

async function read(address: string, sent: number, headers: Record<string, string>): Promise<void> {
  const response = await fetch(address, {
    headers: {
      ...headers,
      accept: 'text/html, application/json',
      'x-forwarded-for': `10.8.${(sent >> 4) & 255}.9`,
    },
    redirect: 'manual',
  })
  await response.arrayBuffer()
  if (response.status !== 200) throw new Error(`${address} answered ${response.status}`)
}
