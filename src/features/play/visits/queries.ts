import { sql } from 'drizzle-orm'

import { type Db, one } from '../../../db/client.ts'
import { isJamGameOpen, isJamPinned } from '../../../db/jam-conditions.ts'
import { jamVisits } from '../../../db/schema/jams.ts'
import { JAM_BEAT_MAX_SECONDS } from '../../../domain/jams/entries.ts'

/** An entry of a jam whose versions are fixed. */
export type JamEntryFacts = {
  entryUid: string
  jam: { uid: string; slug: string; title: string }
  game: { uid: string; name: string; vanityName: string; adult: boolean }
}

/** Each by uid or name; nothing where the listing is not in the jam, was taken down, or the jam is a draft. */
export async function findJamEntry(
  db: Db,
  jamRef: string,
  gameRef: string,
): Promise<JamEntryFacts | undefined> {
  return await one(
    db.execute<JamEntryFacts>(sql`
    select entry.uid as "entryUid",
      json_build_object('uid', jam.uid, 'slug', jam.slug, 'title', jam.title) as jam,
      json_build_object('uid', game.uid, 'name', game.name, 'vanityName', game.vanity_name, 'adult', game.adult) as game
    from jams as jam
    join jam_entries as entry on entry.jam_uid = jam.uid and entry.withdrawn_at is null
    join games as game on game.uid = entry.game_uid
    join users as owner on owner.id = game.owner_uid
    where ${isJamPinned} and ${isJamGameOpen} and (jam.uid::text = ${jamRef} or jam.slug = ${jamRef})
      and (game.uid::text = ${gameRef} or game.vanity_name = ${gameRef})`),
  )
}

/**
 * Adds the time since the last report by the clock of the database, so that nobody claims a minute in a second. What
 * is left of a second stays for the next report; a longer pause starts anew.
 */
export async function creditJamPlay(db: Db, entryUid: string, userUid: string): Promise<number> {
  const gone = sql`floor(extract(epoch from now() - ${jamVisits.lastPlayedAt}))`
  const goesOn = sql`${jamVisits.lastPlayedAt} is not null and ${gone} between 0 and ${JAM_BEAT_MAX_SECONDS}`
  const row = await one(
    db.execute<{ seconds: number }>(sql`
    insert into ${jamVisits} (entry_uid, user_uid, last_played_at) values (${entryUid}, ${userUid}, now())
    on conflict (entry_uid, user_uid) do update set
      played_seconds = ${jamVisits.playedSeconds} + case when ${goesOn} then ${gone}::int else 0 end,
      last_played_at = case when ${goesOn}
        then ${jamVisits.lastPlayedAt} + make_interval(secs => ${gone}::float8) else now() end
    returning played_seconds as seconds`),
  )
  return row?.seconds ?? 0
}
