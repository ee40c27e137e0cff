import { and, asc, desc, eq, exists, inArray, isNotNull, isNull, ne, not, or, sql } from 'drizzle-orm'

import { type Db, hasRows, one, pageOf, type Transaction } from '../../../db/client.ts'
import { users } from '../../../db/schema/accounts.ts'
import {
  apps,
  builds,
  channelPointers,
  fileContents,
  fileEntries,
  files,
  scanEvents,
} from '../../../db/schema/builds.ts'
import { games } from '../../../db/schema/games/games.ts'
import { jamPins } from '../../../db/schema/jams.ts'
import { JAM_CHANNEL, STABLE } from '../../../domain/builds/channels.ts'
import { PACKAGE_TYPES } from '../../../domain/listings/editor-packages.ts'
import type { LayoutFault } from '../../../domain/listings/package-layout.ts'
import { createUid } from '../../../lib/ids.ts'
import type { Page, Paged } from '../../../lib/paging.ts'
import { buildColumns } from '../shared-queries.ts'

export type FileRow = typeof files.$inferSelect
export type ScanEventRow = typeof scanEvents.$inferSelect
type EntryRow = Pick<typeof fileEntries.$inferSelect, 'path' | 'size' | 'sha256'>
/** An entry with its bytes in the zip. */
interface PlacedEntry extends EntryRow {
  at: number
  length: number
}

const HISTORY_SHOWN = 50

export async function findScanningFile(db: Db, uid: string): Promise<FileRow | undefined> {
  return await one(
    db
      .select()
      .from(files)
      .where(and(eq(files.uid, uid), eq(files.scan, 'scanning'))),
  )
}

export async function findOwner(db: Db, gameUid: string): Promise<string | undefined> {
  const [row] = await db.select({ uid: games.ownerUid }).from(games).where(eq(games.uid, gameUid))
  return row?.uid
}

interface ScanResult {
  state: 'clean' | 'infected' | 'error'
  engine: string | null
  detail: string | null
}

/** Returns false when the scan was already closed or the file was deleted. */
export async function closeScan(tx: Transaction, uid: string, result: ScanResult): Promise<boolean> {
  const { state, engine, detail } = result
  const rows = await tx
    .update(files)
    .set({ scan: state, scanEngine: engine, scanDetail: detail, scannedAt: new Date() })
    .where(and(eq(files.uid, uid), eq(files.scan, 'scanning')))
    .returning({ uid: files.uid })
  if (rows.length === 0) return false
  await tx.insert(scanEvents).values({ fileUid: uid, state, engine, detail })
  return true
}

export async function lockFile(tx: Transaction, uid: string): Promise<FileRow | undefined> {
  return await one(tx.select().from(files).where(eq(files.uid, uid)).for('no key update'))
}

export async function reopenScan(tx: Transaction, uid: string): Promise<void> {
  await tx.update(files).set({ scan: 'scanning' }).where(eq(files.uid, uid))
  await tx.delete(fileEntries).where(eq(fileEntries.fileUid, uid))
  await tx.delete(fileContents).where(eq(fileContents.fileUid, uid))
  await tx.insert(scanEvents).values({ fileUid: uid, state: 'scanning' })
}

export async function saveEntryPage(tx: Transaction, fileUid: string, entryPage: string): Promise<void> {
  await tx.update(files).set({ entryPage }).where(eq(files.uid, fileUid))
}

/** Only for listings whose zips are installed by editors; others may have any layout. */
export async function saveLayoutFaults(
  tx: Transaction,
  fileUid: string,
  faults: readonly LayoutFault[],
): Promise<void> {
  const isPackage = and(eq(games.uid, files.gameUid), inArray(games.assetType, [...PACKAGE_TYPES]))
  await tx
    .update(files)
    .set({ layoutFaults: [...faults] })
    .where(and(eq(files.uid, fileUid), exists(tx.select().from(games).where(isPackage))))
}

/** Earlier uploads of the same filename to the same build. */
const isReplacedBy = (file: FileRow) =>
  and(
    eq(files.buildUid, file.buildUid),
    eq(files.filename, file.filename),
    ne(files.uid, file.uid),
    sql`(${files.uploadedAt}, ${files.uid}) < (select uploaded_at, uid from ${files} as newer where newer.uid = ${file.uid})`,
  )

const isPinned = sql`exists (select 1 from ${jamPins} where ${jamPins.fileUid} = ${files.uid})`

/** Moves those that are the version of a jam to a build of their own, which no channel of players shows. */
export async function keepPinned(tx: Transaction, file: FileRow): Promise<void> {
  const pinned = tx
    .select({ uid: files.uid })
    .from(files)
    .where(and(isReplacedBy(file), isPinned))
  await tx.execute(sql`
    with pinned as (${pinned}), kept as (
      insert into ${builds} (uid, game_uid, app_uid, version, build_type, os, arch, channel, title, description,
        engine_version, launch)
      select ${createUid()}::uuid, game_uid, app_uid, version, build_type, os, arch, ${JAM_CHANNEL}, title, description,
        engine_version, launch
      from ${builds} where uid = ${file.buildUid} and exists (select 1 from pinned)
      on conflict (app_uid, version, build_type, os, arch, channel) do update set updated_at = now()
      returning uid
    )
    update ${files} set build_uid = kept.uid from kept, pinned where files.uid = pinned.uid`)
}

/** Returns the keys of the objects that have no row any more. */
export async function deleteReplaced(tx: Transaction, file: FileRow): Promise<string[]> {
  const rows = await tx
    .delete(files)
    .where(and(isReplacedBy(file), not(isPinned)))
    .returning({ objectKey: files.objectKey })
  return rows.map((row) => row.objectKey)
}

/** The recipient of the result mail, with the build it is about. */
export async function findReaderOfResult(db: Db, fileUid: string) {
  return await one(
    db
      .select({
        email: users.email,
        name: users.name,
        title: games.name,
        vanityName: games.vanityName,
        filename: files.filename,
        version: builds.version,
        os: builds.os,
        arch: builds.arch,
      })
      .from(files)
      .innerJoin(builds, eq(builds.uid, files.buildUid))
      .innerJoin(games, eq(games.uid, files.gameUid))
      .innerJoin(users, eq(users.id, games.ownerUid))
      .where(eq(files.uid, fileUid)),
  )
}

export async function findFileWithBuild(db: Db, gameUid: string, fileUid: string) {
  return await one(
    db
      .select({ file: files, build: buildColumns, takenDown: games.takenDown })
      .from(files)
      .innerJoin(builds, eq(builds.uid, files.buildUid))
      .innerJoin(apps, eq(apps.uid, builds.appUid))
      .innerJoin(games, eq(games.uid, files.gameUid))
      .where(and(eq(files.uid, fileUid), eq(files.gameUid, gameUid))),
  )
}

export async function listScanEvents(db: Db, fileUid: string): Promise<ScanEventRow[]> {
  return await db
    .select()
    .from(scanEvents)
    .where(eq(scanEvents.fileUid, fileUid))
    .orderBy(asc(scanEvents.uid))
    .limit(HISTORY_SHOWN)
}

/** The events of all files of a build, oldest first. */
export async function listScanEventsOfBuild(db: Db, buildUid: string, limit: number) {
  return await db
    .select({ event: scanEvents, filename: files.filename })
    .from(scanEvents)
    .innerJoin(files, eq(files.uid, scanEvents.fileUid))
    .where(eq(files.buildUid, buildUid))
    .orderBy(asc(scanEvents.uid))
    .limit(limit)
}

/** `wanted`: a part of the path in any case, or a whole SHA-256; empty for all. */
const entriesOf = (fileUid: string, wanted: string) =>
  and(
    eq(fileEntries.fileUid, fileUid),
    wanted === ''
      ? undefined
      : or(
          sql`position(lower(${wanted}) in lower(${fileEntries.path})) > 0`,
          eq(fileEntries.sha256, wanted.toLowerCase()),
        ),
  )

export async function listEntries(
  db: Db,
  fileUid: string,
  wanted: string,
  page: Page,
): Promise<Paged<EntryRow>> {
  const of = entriesOf(fileUid, wanted)
  const { path, size, sha256 } = fileEntries
  const query = db.select({ path, size, sha256 }).from(fileEntries).where(of).orderBy(asc(path))
  return await pageOf(query, db.$count(fileEntries, of), page)
}

/** Lists the entries whose place in the zip is recorded. */
export async function listPlacedEntries(db: Db, fileUid: string, page: Page): Promise<Paged<PlacedEntry>> {
  const of = and(eq(fileEntries.fileUid, fileUid), isNotNull(fileEntries.at))
  const query = db
    .select({
      path: fileEntries.path,
      size: fileEntries.size,
      sha256: fileEntries.sha256,
      at: sql<number>`${fileEntries.at}`.mapWith(Number),
      length: sql<number>`${fileEntries.length}`.mapWith(Number),
    })
    .from(fileEntries)
    .where(of)
    .orderBy(asc(fileEntries.path))
  return await pageOf(query, db.$count(fileEntries, of), page)
}

export async function isStableFile(db: Db, fileUid: string): Promise<boolean> {
  const isPointedAt = and(eq(channelPointers.buildUid, files.buildUid), eq(channelPointers.channel, STABLE))
  return await hasRows(
    db
      .select({ uid: files.uid })
      .from(files)
      .innerJoin(channelPointers, isPointedAt)
      .where(eq(files.uid, fileUid)),
  )
}

const SAME_FILES_SHOWN = 20

/** Clean files on stable, or registered for it, of pages that everybody can find. */
export async function listPublicFiles(db: Db, checksum: string) {
  const isStable = exists(
    db
      .select({ uid: channelPointers.buildUid })
      .from(channelPointers)
      .where(and(eq(channelPointers.buildUid, files.buildUid), eq(channelPointers.channel, STABLE))),
  )
  return await db
    .select({
      file: files,
      build: builds,
      game: { uid: games.uid, vanityName: games.vanityName, name: games.name },
    })
    .from(files)
    .innerJoin(builds, eq(builds.uid, files.buildUid))
    .innerJoin(games, eq(games.uid, files.gameUid))
    .where(
      and(
        eq(files.checksum, checksum),
        eq(files.scan, 'clean'),
        eq(games.visibility, 'public'),
        isNull(games.takenDown),
        or(eq(builds.channel, STABLE), isStable),
      ),
    )
    .orderBy(desc(files.uid))
    .limit(SAME_FILES_SHOWN)
}
