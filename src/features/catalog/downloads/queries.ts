import { and, eq, gte, inArray, lt, sql } from 'drizzle-orm'

import { countChanged, type Db, one } from '../../../db/client.ts'
import { isJamGameOpen, isJamPinned, isJamVoter } from '../../../db/jam-conditions.ts'
import { apps, builds, files } from '../../../db/schema/builds.ts'
import { downloadEvents } from '../../../db/schema/catalog.ts'
import { jamVisits } from '../../../db/schema/jams.ts'
import type { DownloadSource, ScanState } from '../../../domain/builds/files.ts'
import type { Architecture, OperatingSystem } from '../../../domain/builds/platforms.ts'
import type { TakeDown, Visibility } from '../../../domain/listings/visibility.ts'
import type { Page } from '../../../lib/paging.ts'

export type Offer = {
  fileUid: string
  filename: string
  checksum: string
  objectKey: string
  scan: ScanState
  /** The channel the build was registered for. */
  registeredOn: string
  /** The channels that point at the build now. */
  shownOn: string[]
  gameUid: string
  name: string
  vanityName: string
  visibility: Visibility
  takenDown: TakeDown | null
  adult: boolean
  priceCents: number
  anonymousDownloads: boolean
  /** Whether it is the version of a jam. */
  isPinned: boolean
}

/** Files with everything that decides who may have them. */
export async function listOffers(db: Db, fileUids: readonly string[]): Promise<Offer[]> {
  return await db.execute<Offer>(sql`
    select file.uid as "fileUid", file.filename, file.checksum, file.object_key as "objectKey", file.scan,
      build.channel as "registeredOn",
      array(select channel from channel_pointers where build_uid = build.uid) as "shownOn",
      game.uid as "gameUid", game.name, game.vanity_name as "vanityName", game.visibility,
      game.taken_down as "takenDown", game.adult,
      game.price_cents as "priceCents", game.anonymous_downloads as "anonymousDownloads",
      exists (select 1 from jam_pins as pin where pin.file_uid = file.uid) as "isPinned"
    from files as file
    join builds as build on build.uid = file.build_uid
    join games as game on game.uid = file.game_uid
    where file.uid = any(${sql.param([...fileUids])}::uuid[])`)
}

/** Whether a jam gives this person the file without a licence; null: it is the version of no jam that they can see. */
export async function findJamRight(
  db: Db,
  fileUid: string,
  userUid: string | null,
): Promise<{ isOpen: boolean } | null> {
  const person = sql`${userUid}::uuid`
  const found = await one(
    db.execute<{ isOpen: boolean | null }>(sql`
    select bool_or(${isJamVoter(person)} or (game.price_cents = 0
      and (${person} is not null or game.anonymous_downloads))) as "isOpen"
    from jam_pins as pin
    join jams as jam on jam.uid = pin.jam_uid and ${isJamPinned}
    join jam_entries as entry on entry.uid = pin.entry_uid and entry.withdrawn_at is null
    join games as game on game.uid = entry.game_uid
    join users as owner on owner.id = game.owner_uid
    where pin.file_uid = ${fileUid} and ${isJamGameOpen}`),
  )
  return found && found.isOpen !== null ? { isOpen: found.isOpen } : null
}

/** Ratings may need that the rater fetched the version of the jam; the first time counts. */
export async function recordJamDownload(db: Db, fileUid: string, userUid: string): Promise<void> {
  await db.execute(sql`
    insert into ${jamVisits} (entry_uid, user_uid, downloaded_at)
    select pin.entry_uid, ${userUid}, now() from jam_pins as pin where pin.file_uid = ${fileUid}
    on conflict (entry_uid, user_uid) do update set downloaded_at = excluded.downloaded_at
      where ${jamVisits.downloadedAt} is null`)
}

export type DownloadEvent = Omit<typeof downloadEvents.$inferInsert, 'id' | 'gameUid'>

/** Resolves the listings in the same statement, because an attempt only has the uid of the file. */
export async function insertEvents(db: Db, events: readonly DownloadEvent[]): Promise<void> {
  const column = (read: (event: DownloadEvent) => unknown) => sql.param(events.map(read))
  await db.execute(sql`
    insert into ${downloadEvents} (at, game_uid, file_uid, source, client, country, outcome)
    select event.at::timestamptz, ${files.gameUid}, event.file_uid, event.source, event.client, event.country, event.outcome
    from unnest(
      ${column(({ at }) => at.toISOString())}::text[],
      ${column(({ fileUid }) => fileUid ?? null)}::uuid[],
      ${column(({ source }) => source)}::text[],
      ${column(({ client }) => client)}::text[],
      ${column(({ country }) => country ?? null)}::text[],
      ${column(({ outcome }) => outcome)}::int[]
    ) as event (at, file_uid, source, client, country, outcome)
    left join ${files} on ${files.uid} = event.file_uid`)
}

/** Returns how many it deleted; the caller repeats until it returns 0. */
export async function deleteEvents(db: Db, olderThan: Date, limit: number): Promise<number> {
  const oldest = db
    .select({ id: downloadEvents.id })
    .from(downloadEvents)
    .where(lt(downloadEvents.at, olderThan))
    .orderBy(downloadEvents.at)
    .limit(limit)
  return await countChanged(db.delete(downloadEvents).where(inArray(downloadEvents.id, oldest)))
}

interface CountRow {
  day: string
  source: DownloadSource
  client: string
  country: string | null
  outcome: number
  count: number
}

interface VersionRow {
  buildUid: string
  app: string
  appName: string
  version: string
  os: OperatingSystem
  arch: Architecture
  channel: string
  count: number
  refused: number
}

/** Omits deleted builds; the most downloaded first. */
export async function countByBuild(
  db: Db,
  gameUid: string,
  since: Date,
  page: Page,
): Promise<{ rows: VersionRow[]; total: number }> {
  const [answer] = await db.execute<{ rows: VersionRow[]; total: number }>(sql`
    with counts as materialized (
      select ${files.buildUid} as build_uid, count(*) filter (where ${downloadEvents.outcome} = 200)::int as count,
        count(*) filter (where ${downloadEvents.outcome} <> 200)::int as refused
      from ${downloadEvents} join ${files} on ${files.uid} = ${downloadEvents.fileUid}
      where ${downloadEvents.gameUid} = ${gameUid} and ${downloadEvents.at} >= ${since.toISOString()}
      group by 1
    ),
    page as (
      select ${builds.uid} as "buildUid", ${apps.slug} as app, ${apps.name} as "appName", ${builds.version}, ${builds.os}, ${builds.arch},
        ${builds.channel}, counts.count, counts.refused
      from counts join ${builds} on ${builds.uid} = counts.build_uid join ${apps} on ${apps.uid} = ${builds.appUid}
      order by counts.count desc, ${builds.uid} desc
      limit ${page.page_size} offset ${page.offset}
    )
    select (select count(*)::int from counts) as total,
      (select coalesce(json_agg(page), '[]') from page) as rows`)
  return answer ?? { rows: [], total: 0 }
}

/** Page and total come from one scan, because a popular game has months of events. */
export async function countEvents(
  db: Db,
  gameUid: string,
  since: Date,
  page: Page,
): Promise<{ rows: CountRow[]; total: number }> {
  const [answer] = await db.execute<{ rows: CountRow[]; total: number }>(sql`
    with counts as materialized (
      select (at at time zone 'UTC')::date::text as day, source, client, country, outcome, count(*)::int as count
      from ${downloadEvents}
      where game_uid = ${gameUid} and at >= ${since.toISOString()}
      group by 1, 2, 3, 4, 5
    ),
    page as (
      select * from counts
      order by day desc, count desc, source, client, country nulls last, outcome
      limit ${page.page_size} offset ${page.offset}
    )
    select (select count(*)::int from counts) as total,
      (select coalesce(json_agg(page), '[]') from page) as rows`)
  return answer ?? { rows: [], total: 0 }
}

/** Few rows however popular the game is: one per day and outcome. */
export async function countByDay(db: Db, gameUid: string, since: Date) {
  return await db
    .select({
      day: sql<string>`(${downloadEvents.at} at time zone 'UTC')::date::text`,
      outcome: downloadEvents.outcome,
      count: sql<number>`count(*)::int`,
    })
    .from(downloadEvents)
    .where(and(eq(downloadEvents.gameUid, gameUid), gte(downloadEvents.at, since)))
    .groupBy(sql`1`, sql`2`)
    .orderBy(sql`1`, sql`2`)
}
