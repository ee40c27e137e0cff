import { and, asc, eq, getTableColumns, or, sql } from 'drizzle-orm'

import { anyOf, type Db, one } from '../../../db/client.ts'
import { isJamGameOpen, isJamPinned, isJamVoter } from '../../../db/jam-conditions.ts'
import { apps, builds, channelPointers, fileContents, files } from '../../../db/schema/builds.ts'
import { jamPins } from '../../../db/schema/jams.ts'
import { BETA, STABLE } from '../../../domain/builds/channels.ts'
import type { Visibility } from '../../../domain/listings/visibility.ts'
import type { BuildsQuery } from './model.ts'

export type InstallFile = Awaited<ReturnType<typeof listFilesOnChannel>>[number]
export type LibraryFile = Awaited<ReturnType<typeof listFilesOfGames>>[number]

const { filename, size, checksum, gameUid } = getTableColumns(files)
const columns = {
  gameUid,
  fileUid: files.uid,
  filename,
  size,
  checksum,
  buildUid: builds.uid,
  version: builds.version,
  os: builds.os,
  arch: builds.arch,
  launch: builds.launch,
  saves: builds.saves,
  app: apps.slug,
  appName: apps.name,
  channel: channelPointers.channel,
}
const order = [asc(apps.slug), asc(builds.os), asc(builds.arch), asc(files.filename), asc(files.uid)]

/** Clean files for the system and app that were asked for. */
function isWanted({ os, arch, app }: BuildsQuery) {
  return and(
    eq(files.scan, 'clean'),
    os && eq(builds.os, os),
    arch && eq(builds.arch, arch),
    app === undefined ? undefined : eq(apps.slug, app),
  )
}

/** Clean files of the builds that a channel of a listing points at. */
export async function listFilesOnChannel(
  db: Db,
  game: string,
  { channel = STABLE, ...query }: BuildsQuery,
  limit: number,
) {
  return await db
    .select({ ...columns, installedSize: fileContents.installedSize, hasBlocks: fileContents.hasBlocks })
    .from(channelPointers)
    .innerJoin(builds, eq(builds.uid, channelPointers.buildUid))
    .innerJoin(apps, eq(apps.uid, builds.appUid))
    .innerJoin(files, eq(files.buildUid, builds.uid))
    .leftJoin(fileContents, eq(fileContents.fileUid, files.uid))
    .where(and(eq(channelPointers.gameUid, game), eq(channelPointers.channel, channel), isWanted(query)))
    .orderBy(...order)
    .limit(limit)
}

/** Clean files of the version of a jam. */
export async function listFilesOfJam(
  db: Db,
  { jamUid, gameUid: game }: { jamUid: string; gameUid: string },
  query: BuildsQuery,
  limit: number,
) {
  return await db
    .select({
      ...columns,
      channel: sql<string>`${STABLE}`,
      installedSize: fileContents.installedSize,
      hasBlocks: fileContents.hasBlocks,
    })
    .from(jamPins)
    .innerJoin(files, eq(files.uid, jamPins.fileUid))
    .innerJoin(builds, eq(builds.uid, files.buildUid))
    .innerJoin(apps, eq(apps.uid, builds.appUid))
    .leftJoin(fileContents, eq(fileContents.fileUid, files.uid))
    .where(and(eq(jamPins.jamUid, jamUid), eq(files.gameUid, game), isWanted(query)))
    .orderBy(...order)
    .limit(limit)
}

export interface JamGame {
  jamUid: string
  uid: string
  name: string
  vanityName: string
  visibility: Visibility
  adult: boolean
  priceCents: number
  /** Whether this person may have the version of the jam without a licence. */
  isOpen: boolean
}

/** An entry of a jam whose versions are fixed, if the jam can be seen and the listing was not taken down. */
export async function findJamGame(db: Db, jamRef: string, ref: string, userUid: string | null) {
  const person = sql`${userUid}::uuid`
  return await one(
    db.execute<JamGame & Record<string, unknown>>(sql`
    select jam.uid as "jamUid", game.uid, game.name, game.vanity_name as "vanityName", game.visibility, game.adult,
      game.price_cents as "priceCents", (${isJamVoter(person)} or (game.price_cents = 0
        and (${person} is not null or game.anonymous_downloads))) as "isOpen"
    from jams as jam
    join jam_entries as entry on entry.jam_uid = jam.uid and entry.withdrawn_at is null
    join games as game on game.uid = entry.game_uid
    join users as owner on owner.id = game.owner_uid
    where ${isJamPinned} and ${isJamGameOpen} and (jam.uid::text = ${jamRef} or jam.slug = ${jamRef})
      and (game.uid::text = ${ref} or game.vanity_name = ${ref})`),
  )
}

/** The files of many listings on stable, and on beta where the player joined it; the first few of each listing. */
export async function listFilesOfGames(
  db: Db,
  games: readonly string[],
  betas: readonly string[],
  perGame: number,
) {
  const place = sql<number>`row_number() over (partition by ${channelPointers.gameUid} order by ${channelPointers.channel} desc, ${sql.join(order, sql`, `)})`
  const ranked = db
    .select({
      gameUid: channelPointers.gameUid,
      channel: channelPointers.channel,
      app: apps.slug,
      os: builds.os,
      arch: builds.arch,
      version: builds.version,
      buildUid: sql<string>`${builds.uid}`.as('build'),
      fileUid: sql<string>`${files.uid}`.as('file'),
      size: files.size,
      place: place.as('place'),
    })
    .from(channelPointers)
    .innerJoin(builds, eq(builds.uid, channelPointers.buildUid))
    .innerJoin(apps, eq(apps.uid, builds.appUid))
    .innerJoin(files, eq(files.buildUid, builds.uid))
    .where(
      and(
        anyOf(channelPointers.gameUid, games),
        eq(files.scan, 'clean'),
        or(
          eq(channelPointers.channel, STABLE),
          and(eq(channelPointers.channel, BETA), anyOf(channelPointers.gameUid, betas)),
        ),
      ),
    )
    .as('ranked')
  return await db
    .select()
    .from(ranked)
    .where(sql`${ranked.place} <= ${perGame}`)
    .orderBy(asc(ranked.gameUid), asc(ranked.place))
}
