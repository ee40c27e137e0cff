import { and, asc, eq, getTableColumns, or, sql } from 'drizzle-orm'

import type { Db } from '../../../db/client.ts'
import { anyOf } from '../../../db/lists.ts'
import { apps, builds, channelPointers, fileContents, files } from '../../../db/schema/builds.ts'
import { BETA, STABLE } from '../../../domain/builds/channels.ts'
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

/** Clean files of the builds that a channel of a listing points at. */
export async function listFilesOnChannel(
  db: Db,
  game: string,
  { channel = STABLE, os, arch, app }: BuildsQuery,
  limit: number,
) {
  return await db
    .select({ ...columns, installedSize: fileContents.installedSize, hasBlocks: fileContents.hasBlocks })
    .from(channelPointers)
    .innerJoin(builds, eq(builds.uid, channelPointers.buildUid))
    .innerJoin(apps, eq(apps.uid, builds.appUid))
    .innerJoin(files, eq(files.buildUid, builds.uid))
    .leftJoin(fileContents, eq(fileContents.fileUid, files.uid))
    .where(
      and(
        eq(channelPointers.gameUid, game),
        eq(channelPointers.channel, channel),
        eq(files.scan, 'clean'),
        os && eq(builds.os, os),
        arch && eq(builds.arch, arch),
        app === undefined ? undefined : eq(apps.slug, app),
      ),
    )
    .orderBy(...order)
    .limit(limit)
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
