import { inArray, lt, sql } from 'drizzle-orm'

import type { Db } from '../../../db/client.ts'
import { files } from '../../../db/schema/builds.ts'
import { downloadEvents } from '../../../db/schema/downloads.ts'
import type { ScanState } from '../../../domain/builds/files.ts'
import type { TakeDown, Visibility } from '../../../domain/listings/visibility.ts'

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
}

/** Files with everything that decides who may have them. */
export async function listOffers(db: Db, fileUids: readonly string[]): Promise<Offer[]> {
  return await db.execute<Offer>(sql`
    select file.uid as "fileUid", file.filename, file.checksum, file.object_key as "objectKey", file.scan,
      build.channel as "registeredOn",
      array(select channel from channel_pointers where build_uid = build.uid) as "shownOn",
      game.uid as "gameUid", game.name, game.vanity_name as "vanityName", game.visibility,
      game.taken_down as "takenDown", game.adult,
      game.price_cents as "priceCents", game.anonymous_downloads as "anonymousDownloads"
    from files as file
    join builds as build on build.uid = file.build_uid
    join games as game on game.uid = file.game_uid
    where file.uid = any(${sql.param([...fileUids])}::uuid[])`)
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
  const rows = await db
    .delete(downloadEvents)
    .where(inArray(downloadEvents.id, oldest))
    .returning({ id: downloadEvents.id })
  return rows.length
}
