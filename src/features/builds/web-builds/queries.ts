import { and, asc, desc, eq, isNotNull, sql } from 'drizzle-orm'

import { anyOf } from '../../../db/any-of.ts'
import type { Db } from '../../../db/client.ts'
import { isMainApp } from '../../../db/main-app.ts'
import { apps, builds, fileEntries, files } from '../../../db/schema/builds.ts'
import { channelPointers } from '../../../db/schema/channels.ts'
import { STABLE } from '../../../domain/builds/channels.ts'

const isPlayable = and(eq(builds.os, 'web'), eq(files.scan, 'clean'), isNotNull(files.entryPage))

/** The playable builds of the main app that channels point at; the newest move of each game first. */
const selectPointed = (db: Db) =>
  db
    .select({
      gameUid: channelPointers.gameUid,
      channel: channelPointers.channel,
      buildUid: builds.uid,
      version: builds.version,
      bytes: files.size,
    })
    .from(channelPointers)
    .innerJoin(apps, isMainApp(channelPointers.appUid))
    .innerJoin(builds, eq(builds.uid, channelPointers.buildUid))
    .innerJoin(files, eq(files.buildUid, builds.uid))
    .orderBy(desc(channelPointers.movedAt), desc(files.uid))

export async function listStablePlayable(db: Db, gameUids: readonly string[]) {
  return await selectPointed(db).where(
    and(anyOf(channelPointers.gameUid, gameUids), eq(channelPointers.channel, STABLE), isPlayable),
  )
}

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
