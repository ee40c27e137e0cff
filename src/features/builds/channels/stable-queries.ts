import { and, asc, count, desc, eq, isNotNull, ne, sql } from 'drizzle-orm'

import { hasOnlyApk, isMainApp } from '../../../db/build-conditions.ts'
import { anyOf, buildOnce, type Db } from '../../../db/client.ts'
import { apps, builds, channelPointers, fileEntries, files } from '../../../db/schema/builds.ts'
import { MAIN_APP, STABLE } from '../../../domain/builds/channels.ts'
import type { OperatingSystem } from '../../../domain/builds/platforms.ts'
import { isPointedAt, selectStableFacts } from './shared-queries.ts'

export type UnscannedBuild = Awaited<ReturnType<typeof listUnscanned>>[number]
export type StableFile = Awaited<ReturnType<typeof listStableFiles>>[number]

export type StableApp = Awaited<ReturnType<typeof listStableApps>>[number]

/** The game itself, then its other programs by name. */
const mainFirst = [desc(eq(apps.slug, MAIN_APP)), asc(apps.name), asc(apps.uid)]

const isCleanOn = (channel: string, gameUid: string) =>
  and(eq(channelPointers.gameUid, gameUid), eq(channelPointers.channel, channel), eq(files.scan, 'clean'))

/** Clean files of the builds that stable points at. */
export async function listStableFiles(db: Db, gameUid: string, limit: number, offset = 0) {
  return await listFilesOn(db, STABLE, gameUid, limit, offset)
}

export async function listFilesOn(db: Db, channel: string, gameUid: string, limit: number, offset = 0) {
  return await db
    .select({
      fileUid: files.uid,
      filename: files.filename,
      size: files.size,
      checksum: files.checksum,
      scan: files.scan,
      scanEngine: files.scanEngine,
      entryPage: files.entryPage,
      hasApk: hasOnlyApk,
      uploadedAt: files.uploadedAt,
      movedAt: channelPointers.movedAt,
      buildUid: builds.uid,
      app: apps.slug,
      appName: apps.name,
      channel: channelPointers.channel,
      version: builds.version,
      os: builds.os,
      arch: builds.arch,
    })
    .from(channelPointers)
    .innerJoin(builds, eq(builds.uid, channelPointers.buildUid))
    .innerJoin(apps, eq(apps.uid, builds.appUid))
    .innerJoin(files, eq(files.buildUid, builds.uid))
    .where(isCleanOn(channel, gameUid))
    .orderBy(...mainFirst, asc(builds.os), asc(builds.arch), asc(files.filename), asc(files.uid))
    .limit(limit)
    .offset(offset)
}

/** A clean file of each game for one system, of its main app; games without one are left out. */
export async function listStableFilesFor(db: Db, gameUids: readonly string[], os: OperatingSystem) {
  return await db
    .selectDistinctOn([files.gameUid], {
      gameUid: files.gameUid,
      fileUid: files.uid,
      size: files.size,
      version: builds.version,
      movedAt: channelPointers.movedAt,
    })
    .from(channelPointers)
    .innerJoin(apps, isMainApp(channelPointers.appUid))
    .innerJoin(builds, eq(builds.uid, channelPointers.buildUid))
    .innerJoin(files, eq(files.buildUid, builds.uid))
    .where(
      and(
        anyOf(channelPointers.gameUid, gameUids),
        eq(channelPointers.channel, STABLE),
        eq(files.scan, 'clean'),
        eq(builds.os, os),
      ),
    )
    .orderBy(asc(files.gameUid), asc(builds.arch), asc(files.uid))
}

/** Clean files of other apps than the main one, the first few of each game. */
export async function listOtherFiles(db: Db, gameUids: readonly string[], perGame: number) {
  const order = sql`${apps.name}, ${apps.uid}, ${builds.os}, ${builds.arch}, ${files.uid}`
  const ranked = db
    .select({
      gameUid: files.gameUid,
      fileUid: sql<string>`${files.uid}`.as('file_uid'),
      size: files.size,
      os: builds.os,
      arch: builds.arch,
      version: builds.version,
      app: apps.slug,
      app_name: apps.name,
      place: sql<number>`row_number() over (partition by ${files.gameUid} order by ${order})`.as('place'),
    })
    .from(channelPointers)
    .innerJoin(apps, and(eq(apps.uid, channelPointers.appUid), ne(apps.slug, MAIN_APP)))
    .innerJoin(builds, eq(builds.uid, channelPointers.buildUid))
    .innerJoin(files, eq(files.buildUid, builds.uid))
    .where(
      and(
        anyOf(channelPointers.gameUid, gameUids),
        eq(channelPointers.channel, STABLE),
        eq(files.scan, 'clean'),
      ),
    )
    .as('ranked')
  return await db
    .select()
    .from(ranked)
    .where(sql`${ranked.place} <= ${perGame}`)
    .orderBy(asc(ranked.gameUid), asc(ranked.place))
}

export async function countStableFiles(db: Db, gameUid: string): Promise<number> {
  const [row] = await db
    .select({ count: count() })
    .from(channelPointers)
    .innerJoin(files, isPointedAt)
    .where(isCleanOn(STABLE, gameUid))
  return row?.count ?? 0
}

/** Builds registered for stable whose files have not passed the scan. */
export async function listUnscanned(db: Db, gameUid: string, limit: number) {
  return await db
    .selectDistinct({
      scan: files.scan,
      version: builds.version,
      os: builds.os,
      app: apps.slug,
      appName: apps.name,
    })
    .from(files)
    .innerJoin(builds, eq(builds.uid, files.buildUid))
    .innerJoin(apps, eq(apps.uid, builds.appUid))
    .where(and(eq(files.gameUid, gameUid), ne(files.scan, 'clean'), eq(builds.channel, STABLE)))
    .orderBy(desc(files.scan), asc(builds.os), asc(builds.version))
    .limit(limit)
}

/** The apps with a clean file on stable, and its systems. */
export async function listStableApps(db: Db, gameUid: string, limit: number) {
  return await db
    .select({
      app: apps.slug,
      app_name: apps.name,
      platforms: sql<OperatingSystem[]>`array_agg(distinct ${builds.os})`,
    })
    .from(channelPointers)
    .innerJoin(builds, eq(builds.uid, channelPointers.buildUid))
    .innerJoin(apps, eq(apps.uid, builds.appUid))
    .innerJoin(files, eq(files.buildUid, builds.uid))
    .where(isCleanOn(STABLE, gameUid))
    .groupBy(apps.uid)
    .orderBy(...mainFirst)
    .limit(limit)
}

/** Omits games without files on stable or registered for it. */
export async function listStableFacts(db: Db, gameUids: readonly string[]) {
  return await stableFacts(db).execute({ gameUids })
}

const stableFacts = buildOnce((db) => selectStableFacts(db).prepare('stable_facts'))

const isPlayable = and(eq(builds.os, 'web'), eq(files.scan, 'clean'), isNotNull(files.entryPage))

export async function listPlayableChannels(db: Db, gameUid: string): Promise<string[]> {
  const rows = await db
    .selectDistinct({ channel: channelPointers.channel })
    .from(channelPointers)
    .innerJoin(apps, isMainApp(channelPointers.appUid))
    .innerJoin(builds, eq(builds.uid, channelPointers.buildUid))
    .innerJoin(files, eq(files.buildUid, builds.uid))
    .where(and(eq(channelPointers.gameUid, gameUid), isPlayable))
    .orderBy(asc(channelPointers.channel))
  return rows.map(({ channel }) => channel)
}

/** The clean files of web builds, newest first, with the place of an entry page that lies too deep. */
export async function listWebFiles(db: Db, gameUid: string, limit: number) {
  const misplaced = sql<string | null>`(
    select ${fileEntries.path} from ${fileEntries}
    where ${fileEntries.fileUid} = ${files.uid} and ${files.entryPage} is null
      and ${fileEntries.path} like '%/index.html'
    order by length(${fileEntries.path}), ${fileEntries.path} limit 1)`
  return await db
    .select({
      buildUid: builds.uid,
      version: builds.version,
      channel: builds.channel,
      filename: files.filename,
      entryPage: files.entryPage,
      misplaced,
    })
    .from(files)
    .innerJoin(builds, eq(builds.uid, files.buildUid))
    .where(and(eq(files.gameUid, gameUid), eq(builds.os, 'web'), eq(files.scan, 'clean')))
    .orderBy(desc(files.uid))
    .limit(limit)
}
