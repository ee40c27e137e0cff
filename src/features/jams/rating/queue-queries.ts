import { eq, sql } from 'drizzle-orm'

import { anyOf, type Db, one } from '../../../db/client.ts'
import { worksOn } from '../../../db/jam-conditions.ts'
import { games } from '../../../db/schema/games/games.ts'
import { jamEntries } from '../../../db/schema/jams.ts'
import type { OperatingSystem } from '../../../domain/builds/platforms.ts'
import { GIVEN_EXAMPLE, GIVEN_MAX, GIVEN_WEIGHT } from '../../../domain/jams/queue-order.ts'

interface QueueOf {
  jamUid: string
  userUid: string
}

interface QueueFor extends QueueOf {
  minRatings: number
  /** What the voter's device runs; null: everything. */
  systems: readonly OperatingSystem[] | null
  seesAdult: boolean
  /** Decides among equals: a whole number of 64 bits. */
  seed: string
  limit: number
}

/** The same as `computePlace` for the row `entry`. */
const tier = (minRatings: number) => sql`(entry.received >= ${minRatings})`
const place = sql`(entry.received - least(entry.given, ${GIVEN_MAX}) * ${GIVEN_WEIGHT}::float8)`

/** Entries that the voter did not rate, that are not their own, and that they can run as far as they said. */
const waiting = ({ jamUid, userUid }: QueueOf) => sql`
  from jam_entries as entry
  left join jam_visits as visit on visit.entry_uid = entry.uid and visit.user_uid = ${userUid}
  where entry.jam_uid = ${jamUid} and entry.withdrawn_at is null and entry.disqualified_at is null
    and visit.cannot_run_at is null and entry.game_uid not in ${worksOn(userUid)}
    and entry.uid not in (select rating.entry_uid from jam_ratings as rating
      where rating.jam_uid = ${jamUid} and rating.user_uid = ${userUid})`

export interface QueuedEntry {
  [column: string]: unknown
  entryUid: string
  isSkipped: boolean
}

/** Sorting only the first ones takes a fraction of the time, and nearly always enough of them can be played here. */
const FIRST_CANDIDATES = 200

/** The next entries, skipped ones last. */
export async function listQueue(db: Db, wanted: QueueFor): Promise<QueuedEntry[]> {
  const first = await listAmong(db, wanted, FIRST_CANDIDATES)
  return first.length < wanted.limit ? await listAmong(db, wanted, null) : first
}

/**
 * Whether an entry is open and can be played here is only looked up until enough are found: the limit in the lateral
 * join keeps the order of the candidates.
 */
async function listAmong(db: Db, wanted: QueueFor, candidates: number | null): Promise<QueuedEntry[]> {
  const { minRatings, systems, seesAdult, seed, limit } = wanted
  const runs =
    systems === null
      ? sql`true`
      : sql`build.os = any(${sql.param([...systems])}::text[]) and (build.os <> 'web' or file.entry_page is not null)`
  return await db.execute<QueuedEntry>(sql`
    with candidates as materialized (
      select entry.uid, entry.game_uid, visit.skipped_at ${waiting(wanted)}
      order by visit.skipped_at nulls first, ${tier(minRatings)}, ${place}, uuid_hash_extended(entry.uid, ${seed}::bigint)
      limit ${candidates}::bigint
    )
    select candidates.uid as "entryUid", candidates.skipped_at is not null as "isSkipped"
    from candidates cross join lateral (
      select 1 from games as game join users as owner on owner.id = game.owner_uid
      join jam_pins as pin on pin.entry_uid = candidates.uid
      join files as file on file.uid = pin.file_uid and file.scan = 'clean'
      join builds as build on build.uid = file.build_uid
      where game.uid = candidates.game_uid and game.taken_down is null and owner.suspended_at is null
        and (${seesAdult} or not game.adult) and ${runs}
      limit 1
    ) as playable
    limit ${limit}`)
}

/** What the page says about progress. */
export async function countQueue(db: Db, wanted: QueueOf): Promise<{ left: number; rated: number }> {
  const counted = await one(
    db.execute<{ left: number; rated: number }>(sql`
      select (select count(*) ${waiting(wanted)})::integer as left,
        (select count(*) from jam_ratings as rating
          where rating.jam_uid = ${wanted.jamUid} and rating.user_uid = ${wanted.userUid})::integer as rated`),
  )
  return counted ?? { left: 0, rated: 0 }
}

export type StandingRow = Awaited<ReturnType<typeof listOwnStandings>>[number]

/** The entries of a person, with how many stand before them, now and after giving more ratings. */
export async function listOwnStandings(db: Db, jamUid: string, userUid: string, minRatings: number) {
  const before = (more: number) => sql`(
    select count(*) from jam_entries as entry
    where entry.jam_uid = ${jamUid} and entry.withdrawn_at is null and entry.disqualified_at is null
      and (${tier(minRatings)}, ${place})
        < (own.received >= ${minRatings}, own.received - least(own.given + ${more}, ${GIVEN_MAX}) * ${GIVEN_WEIGHT}::float8)
    )::integer`
  return await db.execute<{
    uid: string
    vanityName: string
    name: string
    received: number
    given: number
    ahead: number
    aheadAfter: number
  }>(sql`
    select game.uid, game.vanity_name as "vanityName", game.name, own.received, own.given,
      ${before(0)} as ahead, ${before(GIVEN_EXAMPLE)} as "aheadAfter"
    from jam_entries as own join games as game on game.uid = own.game_uid
    where own.jam_uid = ${jamUid} and own.withdrawn_at is null and own.disqualified_at is null
      and own.game_uid in ${worksOn(userUid)}
    order by own.uid`)
}

/** What the page shows of these entries. */
export async function listQueuedGames(db: Db, entryUids: readonly string[], userUid: string) {
  return await db
    .select({
      entryUid: jamEntries.uid,
      note: jamEntries.note,
      received: jamEntries.received,
      uid: games.uid,
      vanityName: games.vanityName,
      name: games.name,
      tagline: games.tagline,
      adult: games.adult,
      developer: sql<string>`(select coalesce(owner.display_name, owner.username) from users as owner
        where owner.id = ${games.ownerUid})`,
      coverKey: sql<string | null>`(select image.object_key from images as image
        where image.game_uid = ${games.uid} and image.kind = 'cover' limit 1)`,
      playedSeconds: sql<number>`coalesce((select visit.played_seconds from jam_visits as visit
        where visit.entry_uid = ${jamEntries.uid} and visit.user_uid = ${userUid}), 0)`,
      hasFetched: sql<boolean>`exists (select 1 from jam_visits as visit
        where visit.entry_uid = ${jamEntries.uid} and visit.user_uid = ${userUid} and visit.downloaded_at is not null)`,
    })
    .from(jamEntries)
    .innerJoin(games, eq(games.uid, jamEntries.gameUid))
    .where(anyOf(jamEntries.uid, entryUids))
}
