import { join } from 'node:path'

import { and, gte } from 'drizzle-orm'
import postgres, { type Sql } from 'postgres'

import { anyOf, type Database, openDatabase } from '../../../../src/db/client.ts'
import { apps, builds, files } from '../../../../src/db/schema/builds.ts'
import { noticeEvents } from '../../../../src/db/schema/notices.ts'
import { PLAYER_KEY_PREFIX } from '../../../../src/domain/actor.ts'
import { settleChannel } from '../../../../src/features/builds/channels/moves.ts'
import { sha256Hex } from '../../../../src/lib/bytes/hash.ts'
import { createSecret, createUid } from '../../../../src/lib/ids.ts'
import { ROOT, startServerProcess } from '../../environment.ts'
import { judge, type Latency, type Line, type Measured, median, summarise } from '../../report/line.ts'
import { createCatalogSettings } from '../../search-data.ts'
import type { Scenario } from '../scenario.ts'
import { digestLines, measureDigests } from './digests.ts'

const FOLLOWERS = 1_000_000
const PLAYERS = 100_000
const FOLLOWS_EACH = 50

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

/** Of the same game, before it has them all. */
const FEW = 10_000
const GAMES = 5000
const EVENTS_PER_GAME = 20

interface FollowData {
  /** A million follow the one, nobody the other. */
  popular: string
  unknown: string
  /** Keys of players who follow FOLLOWS_EACH games each. */
  keys: string[]
}

/** Uids that are the same in each statement, without remembering them. */
const uidOf = (kind: string, number: string) => `md5('${kind} ' || ${number})::uuid`

/** Fills a database of its own, with FEW follows of the popular game. */
async function fillFollows(databaseUrl: string, keyCount: number): Promise<FollowData> {
  const keys = Array.from({ length: keyCount }, () => PLAYER_KEY_PREFIX + createSecret())
  return await withSession(databaseUrl, async (sql) => {
    await sql.unsafe(`
      insert into users (id, name, email, username)
      select ${uidOf('user', 'n')}, 'Player', 'player-' || n || '@bench.example', 'player-' || n
      from generate_series(1, ${FOLLOWERS}) as n`)
    await sql.unsafe(`
      insert into games (uid, owner_uid, asset_type, name, vanity_name, visibility, status, published_at, public_since)
      select ${uidOf('game', 'n')}, ${uidOf('user', '(n + 1)')}, 'game', 'Game ' || n, 'game-' || n, 'public', 'released', now(), now()
      from generate_series(0, ${GAMES}) as n`)
    await withoutIndexes(sql, 'game_follows', async () => {
      await followPopular(sql, 1, FEW)
      await sql.unsafe(`
        insert into game_follows (user_uid, game_uid, created_at)
        select ${uidOf('user', 'n')}, ${uidOf('game', `2 + (n * 31 + turn * 97) % ${GAMES - 1}`)}, now() - interval '100 days'
        from generate_series(1, ${PLAYERS}) as n, generate_series(2, ${FOLLOWS_EACH}) as turn`)
    })
    await sql.unsafe(`
      insert into notice_events (uid, kind, game_uid, developer_uid, platforms, facts, at, burst_at)
      select gen_random_uuid(), 'release', ${uidOf('game', 'n')}, ${uidOf('user', '(n + 1)')}, '{linux}',
        jsonb_build_object('title', turn || '.0 for Linux'), at, at
      from generate_series(1, ${GAMES}) as n, generate_series(1, ${EVENTS_PER_GAME}) as turn,
        lateral (select now() - (turn * 4 + n % 4) * interval '1 day' as at) as moment`)
    for (const [index, key] of keys.entries()) {
      await sql`
        insert into player_keys (uid, user_uid, label, key_hash, last4, scopes)
        values (${createUid()}, md5('user ' || ${index + 1}::integer)::uuid, 'bench', ${sha256Hex(key)}, ${key.slice(-4)}, '{player:read}')`
    }
    await sql.unsafe('vacuum analyze')
    // From here on it would work beside what is measured.
    for (const table of ['users', 'game_follows', 'notice_events']) {
      await sql.unsafe(`alter table ${table} set (autovacuum_enabled = off)`)
    }
    const [row] = await sql<{ popular: string; unknown: string }[]>`
      select md5('game 1')::uuid as popular, md5('game 0')::uuid as unknown`
    if (!row) throw new Error('The database has no listings')
    return { ...row, keys }
  })
}

/** Lets all others follow the popular game, too. */
async function growFollows(databaseUrl: string): Promise<void> {
  await withSession(databaseUrl, async (sql) => {
    await withoutIndexes(sql, 'game_follows', () => followPopular(sql, FEW + 1, FOLLOWERS))
    await sql.unsafe('vacuum analyze game_follows')
    await sql.unsafe('checkpoint')
  })
}

async function followPopular(sql: Sql, from: number, to: number): Promise<void> {
  await sql.unsafe(`
    insert into game_follows (user_uid, game_uid, created_at)
    select ${uidOf('user', 'n')}, ${uidOf('game', '1')}, now() - interval '100 days'
    from generate_series(${from}, ${to}) as n`)
}

/** Triggers do not look whether rows exist that others refer to. */
async function withSession<Result>(url: string, work: (sql: Sql) => Promise<Result>): Promise<Result> {
  const sql = postgres(url, { max: 1, onnotice: () => undefined })
  try {
    await sql.unsafe(`set session_replication_role = replica; set maintenance_work_mem = '512MB'`)
    return await work(sql)
  } finally {
    await sql.end()
  }
}

/** Building them afterwards takes a tenth of the time. */
async function withoutIndexes(sql: Sql, table: string, fill: () => Promise<void>): Promise<void> {
  const indexes = await sql<{ name: string; definition: string; constraint: string | null }[]>`
    select index.relname as name, pg_get_indexdef(index.oid) as definition, pg_get_constraintdef(found.oid) as constraint
    from pg_index join pg_class as index on index.oid = indexrelid left join pg_constraint as found on conindid = index.oid
    where indrelid = ${table}::regclass`
  for (const { name, constraint } of indexes) {
    await sql.unsafe(constraint ? `alter table ${table} drop constraint ${name}` : `drop index ${name}`)
  }
  await fill()
  for (const { name, definition, constraint } of indexes) {
    await sql.unsafe(constraint ? `alter table ${table} add constraint ${name} ${constraint}` : definition)
  }
}

/** Lets an account follow as much as each of the players does. */
async function followLikePlayers(databaseUrl: string, email: string): Promise<void> {
  const sql = postgres(databaseUrl, { max: 1 })
  try {
    await sql.unsafe(`
      insert into game_follows (user_uid, game_uid, created_at)
      select account.id, follow.game_uid, follow.created_at
      from users as account, game_follows as follow
      where account.email = '${email}' and follow.user_uid = ${uidOf('user', '1')}`)
  } finally {
    await sql.end()
  }
}
