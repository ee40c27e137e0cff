import { sql } from 'drizzle-orm'

import type { Person } from '../people.ts'
import type { TestServer } from '../server.ts'

/** Public listings of these people that fit every jam, each with a stable build; as many for each. */
export async function insertManyFit(
  { deps: { db } }: TestServer,
  people: readonly Pick<Person, 'uid'>[],
  each: number,
): Promise<Map<string, string[]>> {
  const prefix = `many-${crypto.randomUUID().slice(0, 8)}`
  const owners = sql.param(people.map(({ uid }) => uid))
  await db.execute(sql`
    insert into games (uid, owner_uid, asset_type, visibility, name, vanity_name, tagline, published_at, public_since)
    select gen_random_uuid(), owner::uuid, 'game', 'public', 'Lantern ' || nth, ${prefix} || '-' || place || '-' || nth,
      'Light a lamp.', now(), now()
    from unnest(${owners}::text[]) with ordinality as people (owner, place), generate_series(1, ${each}) as nth`)
  const made = sql`select uid, owner_uid from games where vanity_name like ${`${prefix}-%`}`
  await db.execute(sql`
    with made as (${made}), pictures as (
      insert into images (uid, game_uid, kind, object_key, width, height, size)
      select gen_random_uuid(), uid, 'cover', 'images/' || uid || '.webp', 1280, 720, 1000 from made
    ), programs as (
      insert into apps (uid, game_uid, slug, name) select gen_random_uuid(), uid, 'main', 'main' from made returning *
    ), versions as (
      insert into builds (uid, game_uid, app_uid, version, build_type, os, arch, channel)
      select gen_random_uuid(), game_uid, uid, '1.0.0', 'game', 'linux', 'x86_64', 'stable' from programs returning *
    ), stored as (
      insert into files (uid, game_uid, build_uid, filename, size, checksum, object_key, scan, source)
      select gen_random_uuid(), game_uid, uid, 'game.zip', 1000, md5(uid::text), 'builds/' || uid || '.zip', 'clean', 'website'
      from versions
    ), moves as (
      insert into channel_moves (uid, game_uid, app_uid, channel, os, arch, kind, to_build_uid, to_version, moved_by)
      select gen_random_uuid(), game_uid, app_uid, 'stable', 'linux', 'x86_64', 'upload', uid, '1.0.0', 'a test'
      from versions returning *
    )
    insert into channel_pointers (game_uid, app_uid, channel, os, arch, build_uid, move_uid)
    select game_uid, app_uid, 'stable', 'linux', 'x86_64', to_build_uid, uid from moves`)
  const rows = await db.execute<{ uid: string; owner_uid: string }>(made)
  const byOwner = new Map<string, string[]>()
  for (const { uid, owner_uid } of rows) byOwner.set(owner_uid, [...(byOwner.get(owner_uid) ?? []), uid])
  return byOwner
}
