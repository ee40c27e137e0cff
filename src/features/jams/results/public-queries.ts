import { and, asc, count, desc, eq, isNotNull, isNull, type SQL, sql } from 'drizzle-orm'

import { type Db, one, pageOf } from '../../../db/client.ts'
import { worksOn } from '../../../db/jam-conditions.ts'
import { personColumns } from '../../../db/person-columns.ts'
import { users } from '../../../db/schema/accounts.ts'
import { games } from '../../../db/schema/games/games.ts'
import { jamEntries, jamRatings, jamResults } from '../../../db/schema/jams.ts'
import { isUid } from '../../../lib/ids.ts'
import type { Page, Paged } from '../../../lib/paging.ts'

const columns = {
  result: jamResults,
  game: {
    uid: games.uid,
    vanityName: games.vanityName,
    name: games.name,
    adult: games.adult,
    visibility: games.visibility,
  },
  developer: personColumns.displayName,
  coverKey: sql<string | null>`(select image.object_key from images as image
    where image.game_uid = ${games.uid} and image.kind = 'cover' limit 1)`,
  disqualifiedAt: jamEntries.disqualifiedAt,
  disqualifiedFor: jamEntries.disqualifiedFor,
  prizes: jamEntries.prizes,
}

const selectResults = (db: Db) =>
  db
    .select(columns)
    .from(jamResults)
    .innerJoin(jamEntries, eq(jamEntries.uid, jamResults.entryUid))
    .innerJoin(games, eq(games.uid, jamEntries.gameUid))
    .innerJoin(users, eq(users.id, games.ownerUid))

export type ResultRow = Awaited<ReturnType<typeof selectResults>>[number]

const shown = (jamUid: string) =>
  and(
    eq(jamResults.jamUid, jamUid),
    isNull(jamEntries.withdrawnAt),
    isNull(games.takenDown),
    isNull(users.suspendedAt),
  )

/** By one criterion, or by the whole. Entries without a rank come last, the best first. */
function ordersBy(criterion: number | null): SQL[] {
  const last = [asc(sql`${jamEntries.disqualifiedAt} is not null`)]
  if (criterion === null)
    return [
      ...last,
      sql`${jamResults.rank} asc nulls last`,
      sql`${jamResults.adjusted} desc nulls last`,
      asc(jamResults.entryUid),
    ]
  const value = (name: string) => sql`(${jamResults.criteria} -> ${criterion}::integer ->> ${name})::float8`
  return [
    ...last,
    sql`${value('rank')} asc nulls last`,
    sql`${value('adjusted')} desc nulls last`,
    asc(jamResults.entryUid),
  ]
}

export async function pageResults(
  db: Db,
  jamUid: string,
  criterion: number | null,
  page: Page,
): Promise<Paged<ResultRow>> {
  const ordered = selectResults(db)
    .where(shown(jamUid))
    .orderBy(...ordersBy(criterion))
  const total = db
    .select({ count: count() })
    .from(jamResults)
    .innerJoin(jamEntries, eq(jamEntries.uid, jamResults.entryUid))
    .innerJoin(games, eq(games.uid, jamEntries.gameUid))
    .innerJoin(users, eq(users.id, games.ownerUid))
    .where(shown(jamUid))
    .then(([row]) => row?.count ?? 0)
  return await pageOf(ordered, total, page)
}

export async function findResult(db: Db, jamUid: string, gameRef: string): Promise<ResultRow | undefined> {
  const isGame = isUid(gameRef) ? eq(games.uid, gameRef) : eq(games.vanityName, gameRef)
  return await one(selectResults(db).where(and(shown(jamUid), isGame)))
}

/** Everything that the file of the results holds, in batches by place. */
export async function listResults(
  db: Db,
  jamUid: string,
  limit: number,
  offset: number,
): Promise<ResultRow[]> {
  return await selectResults(db)
    .where(shown(jamUid))
    .orderBy(...ordersBy(null))
    .limit(limit)
    .offset(offset)
}

/** The newest first. Those who work on the entry also read what was written to them alone. */
export async function pageComments(
  db: Db,
  jamUid: string,
  gameUid: string,
  withPrivate: boolean,
  page: Page,
) {
  const which = and(
    eq(jamRatings.jamUid, jamUid),
    sql`${jamRatings.entryUid} = (select ${jamEntries.uid} from ${jamEntries}
      where ${jamEntries.jamUid} = ${jamUid} and ${jamEntries.gameUid} = ${gameUid})`,
    sql`${jamRatings.comment} <> ''`,
    // Hosts hide an abusive comment by voiding its vote.
    sql`${jamRatings.decision} is distinct from 'voided'`,
    withPrivate ? undefined : eq(jamRatings.commentPublic, true),
  )
  const ordered = db
    .select({
      uid: jamRatings.uid,
      text: jamRatings.comment,
      public: jamRatings.commentPublic,
      createdAt: jamRatings.createdAt,
      hasPerson: isNotNull(users.id).mapWith(Boolean),
      person: personColumns,
    })
    .from(jamRatings)
    .leftJoin(users, eq(users.id, jamRatings.userUid))
    .where(which)
    .orderBy(desc(jamRatings.uid))
  return await pageOf(ordered, db.$count(jamRatings, which), page)
}

export interface PlacingRow {
  [column: string]: unknown
  slug: string
  title: string
  rank: number
  entries: number
}

/** Whether the person is owner or admin of the listing. */
export async function isWorkedOn(db: Db, gameUid: string, userUid: string): Promise<boolean> {
  return (await db.$count(games, and(eq(games.uid, gameUid), sql`${games.uid} in ${worksOn(userUid)}`))) > 0
}

/** Where a listing stood in public jams, the best places first. */
export async function listPlacings(db: Db, gameUid: string, limit: number): Promise<PlacingRow[]> {
  return await db.execute<PlacingRow>(sql`
    select jam.slug, jam.title, result.rank,
      (select count(*) from jam_results as other join jam_entries as entered on entered.uid = other.entry_uid
        where other.jam_uid = jam.uid and entered.disqualified_at is null and entered.withdrawn_at is null)::integer as entries
    from jam_entries as entry
    join jam_results as result on result.entry_uid = entry.uid
    join jams as jam on jam.uid = entry.jam_uid
    where entry.game_uid = ${gameUid} and entry.withdrawn_at is null and entry.disqualified_at is null
      and result.rank is not null and jam.published_at is not null and jam.visibility = 'public'
    order by result.rank, jam.published_at desc, jam.uid limit ${limit}`)
}
