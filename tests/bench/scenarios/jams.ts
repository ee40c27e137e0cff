import { join } from 'node:path'

import { sql } from 'drizzle-orm'

import { type Database, type DatabaseHandle, openDatabase } from '../../../src/db/client.ts'
import { computeDue } from '../../../src/features/jams/results/compute.ts'
import { createLogger } from '../../../src/lib/log.ts'
import { type Person, signUp } from '../../helpers/people.ts'
import { ROOT, startServerProcess } from '../environment.ts'
import { judge, type Line, summarise } from '../report/line.ts'
import { createCatalogSettings } from '../search-data.ts'
import type { Scenario } from './scenario.ts'

const JAM = 'bench-jam'
const ENTRIES = 5000
const VOTERS = 2000
const RATINGS_EACH = 30
const RATINGS = VOTERS * RATINGS_EACH

/** Accounts with a session, each with an entry. */
const PEOPLE = 20
const WARM_UP = 40
const REQUESTS = 300
const QUEUE_MS = 30
const RATING_MS = 30
const ENTRIES_MS = 50
const RESULTS_S = 5
const PRIVATE = `/api/v1/private/jams/${JAM}`
/** Temporary tables belong to their connection. */
const ONE_CONNECTION = 1

export const jams: Scenario = {
  name: 'jams',
  about: `the queue, a rating, the list of entries and the results of a jam with ${ENTRIES} entries and ${RATINGS} ratings of ${VOTERS} voters`,
  async run(environment) {
    const settings = await createCatalogSettings(environment)
    const server = await startServerProcess({
      command: [process.execPath, join(ROOT, 'src/main.ts'), 'serve'],
      path: '/health',
      env: settings,
    })
    const database = openDatabase(settings['DATABASE_URL'] ?? '', { maxConnections: ONE_CONNECTION })
    try {
      const reachable = {
        url: server.url,
        fetch: (path: string, init?: RequestInit) => fetch(server.url + path, init),
      }
      const people: Person[] = []
      for (let index = 0; index < PEOPLE; index += 1) people.push(await signUp(reachable))
      await insertBenchJam(
        database.db,
        people.map(({ uid }) => uid),
      )
      return [...(await measureVoters(people, database)), await measureResults(database)]
    } finally {
      await database.dispose()
      await server.stop()
    }
  },
}

async function measureVoters(people: readonly Person[], { db }: DatabaseHandle): Promise<Line[]> {
  const owners = sql.param(people.map(({ uid }) => uid))
  const games = await db.execute<{ uid: string }>(sql`
    select game_uid as uid from jam_entries where received > 0 and submitted_by <> all(${owners}::uuid[])
    order by uid limit ${WARM_UP + REQUESTS}`)
  const personOf = (turn: number) => people[turn % people.length] as Person
  const scores = { Fun: 4, Theme: 5 }
  return [
    await time('queue: p95 latency', QUEUE_MS, (turn) =>
      personOf(turn).fetch(`${PRIVATE}/queue?os=${turn % 3 === 0 ? 'android' : 'windows'}`),
    ),
    await time('a rating: p95 latency', RATING_MS, (turn) =>
      personOf(turn).json('PUT', `${PRIVATE}/ratings/${games[turn]?.uid ?? ''}`, { scores }),
    ),
    await time('entries page: p95 latency', ENTRIES_MS, (turn) =>
      personOf(turn).fetch(`/jams/${JAM}/entries?sort=least_rated&page=${1 + (turn % 50)}`),
    ),
  ]
}

/** One after the other, so that queueing is not measured. */
async function time(
  measure: string,
  limitMs: number,
  send: (turn: number) => Promise<Response>,
): Promise<Line> {
  const times: number[] = []
  for (let turn = 0; turn < WARM_UP + REQUESTS; turn += 1) {
    const began = performance.now()
    const answer = await send(turn)
    const text = await answer.text()
    if (turn >= WARM_UP) times.push(performance.now() - began)
    if (!answer.ok) throw new Error(`${measure}: ${answer.status} ${text.slice(0, 300)}`)
  }
  const latency = summarise(times)
  return judge({
    scenario: 'jams',
    measure,
    unit: 'ms',
    details: latency,
    subject: latency.p95,
    baseline: null,
    target: { of: 'subject', must: 'stay below', value: limitMs },
  })
}

async function measureResults({ db }: DatabaseHandle): Promise<Line> {
  await db.execute(sql`update jams set voting_ends_at = now() - interval '1 second' where slug = ${JAM}`)
  const began = performance.now()
  const log = createLogger({ level: 'error', pretty: false })
  await computeDue({ db, log }, new AbortController().signal)
  const seconds = (performance.now() - began) / 1000
  const [row] = await db.execute<{ count: number }>(sql`select count(*)::integer as count from jam_results`)
  if (row?.count !== ENTRIES) throw new Error(`There are ${row?.count} results`)
  return judge({
    scenario: 'jams',
    measure: 'results',
    unit: 's',
    subject: seconds,
    baseline: null,
    target: { of: 'subject', must: 'stay below', value: RESULTS_S },
  })
}

/**
 * A jam in its voting: every entry has an owner and a pinned build for the browser, for Windows, or for both, and the first owners
 * rated. The given accounts own the last entries.
 */
async function insertBenchJam(db: Database, voterUids: readonly string[]): Promise<void> {
  await db.execute(sql`
    insert into jams (uid, slug, title, starts_at, ends_at, voting_ends_at, visibility, criteria, must_play, pinned_at)
    values (gen_random_uuid(), ${JAM}, 'Bench', now() - interval '9 days', now() - interval '2 days', now() + interval '1 day',
      'public', '[{"name":"Fun","text":"","primary":false},{"name":"Theme","text":"","primary":false}]', false, now())`)
  await db.execute(sql`
    create temporary table bench_entry as
    select number, gen_random_uuid() as owner, gen_random_uuid() as game, gen_random_uuid() as app, gen_random_uuid() as entry
    from generate_series(1, ${ENTRIES}) as number`)
  await db.execute(sql`
    update bench_entry set owner = voter.uid
    from unnest(${sql.param([...voterUids])}::uuid[]) with ordinality as voter (uid, index)
    where number = ${ENTRIES} - index + 1`)
  await db.execute(sql`
    insert into users (id, name, email, username, email_verified, created_at)
    select owner, 'Bench', 'bench-' || number || '@example.org', 'bench-' || number, true, now() - interval '1 year'
    from bench_entry on conflict (id) do nothing`)
  await db.execute(sql`
    insert into games (uid, owner_uid, asset_type, name, vanity_name, tagline, visibility, published_at, public_since)
    select game, owner, 'game', 'Entry ' || number, 'bench-entry-' || number, 'One of many.', 'public', now(), now()
    from bench_entry`)
  await db.execute(
    sql`insert into apps (uid, game_uid, slug, name) select app, game, 'main', 'main' from bench_entry`,
  )
  await db.execute(sql`
    insert into jam_entries (uid, jam_uid, game_uid, submitted_by)
    select entry, (select uid from jams where slug = ${JAM}), game, owner from bench_entry`)
  await db.execute(sql`
    create temporary table bench_build as
    select entry.*, gen_random_uuid() as build, gen_random_uuid() as file, system.os, system.arch
    from bench_entry as entry join (values ('web', 'wasm32'), ('windows', 'x86_64')) as system (os, arch)
      on (number % 3 <> 0 or os = 'web') and (number % 5 <> 0 or os = 'windows' or number % 3 = 0)`)
  await db.execute(sql`
    insert into builds (uid, game_uid, app_uid, version, build_type, os, arch, channel)
    select build, game, app, '1.0.0', 'game', os, arch, 'stable' from bench_build`)
  await db.execute(sql`
    insert into files (uid, game_uid, build_uid, filename, size, checksum, object_key, scan, source, entry_page)
    select file, game, build, 'game.zip', 1000, md5(file::text) || md5(build::text), 'builds/' || file, 'clean', 'website',
      case when os = 'web' then 'index.html' end
    from bench_build`)
  await db.execute(sql`
    insert into jam_pins (jam_uid, entry_uid, file_uid)
    select (select uid from jams where slug = ${JAM}), entry, file from bench_build`)
  await db.execute(sql`
    insert into jam_ratings (uid, jam_uid, entry_uid, user_uid, scores, account_days, created_at)
    select gen_random_uuid(), (select uid from jams where slug = ${JAM}), rated.entry, voter.owner,
      array[1 + (random() * 4)::integer, 1 + (random() * 4)::integer], 100, now()
    from bench_entry as voter
    cross join generate_series(1, ${RATINGS_EACH}) as turn
    join bench_entry as rated on rated.number = 1 + (voter.number * 37 + turn * 163) % ${ENTRIES}
    where voter.number <= ${VOTERS}`)
  await db.execute(sql`
    update jam_entries as entry set
      received = (select count(*) from jam_ratings as rating where rating.entry_uid = entry.uid),
      given = (select count(*) from jam_ratings as rating where rating.user_uid = entry.submitted_by)`)
  await db.execute(sql`drop table bench_build`)
  await db.execute(sql`drop table bench_entry`)
  await db.execute(sql`analyze`)
}
