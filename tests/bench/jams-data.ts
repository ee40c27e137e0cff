import { sql } from 'drizzle-orm'

import type { Database } from '../../src/db/client.ts'

export const ENTRIES = 5000
export const VOTERS = 2000
const RATINGS_EACH = 30
export const RATINGS = VOTERS * RATINGS_EACH
export const JAM = 'bench-jam'

/**
 * A jam in its voting: every entry has an owner and a pinned build for the browser, for Windows, or for both, and the first owners
 * rated. The given accounts own the last entries.
 */
export async function insertBenchJam(db: Database, voterUids: readonly string[]): Promise<void> {
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
