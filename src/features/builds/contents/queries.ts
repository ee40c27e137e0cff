import { and, asc, eq, gt, isNull, type SQL, sql } from 'drizzle-orm'

import { isApk } from '../../../db/build-conditions.ts'
import { type Db, hasRows, one, type Transaction } from '../../../db/client.ts'
import { fileContents, fileEntries, files } from '../../../db/schema/builds.ts'
import type { Contents, EntryPlace, RecordedEntry } from './model.ts'

const ENTRIES_AT_ONCE = 5000

/** Replaces what was recorded before. */
export async function saveContents(db: Db, fileUid: string, contents: Contents): Promise<void> {
  await db
    .insert(fileContents)
    .values({ fileUid, ...contents })
    .onConflictDoUpdate({ target: fileContents.fileUid, set: contents })
}

export async function findContents(db: Db, fileUid: string): Promise<Contents | undefined> {
  const { installedSize, hasBlocks, document } = fileContents
  return await one(
    db
      .select({ installedSize, hasBlocks, document })
      .from(fileContents)
      .where(eq(fileContents.fileUid, fileUid)),
  )
}

export async function hasContents(db: Db, fileUid: string): Promise<boolean> {
  return (await db.$count(fileContents, eq(fileContents.fileUid, fileUid))) > 0
}

export async function insertEntries(
  tx: Transaction,
  fileUid: string,
  entries: readonly RecordedEntry[],
): Promise<void> {
  for (const batch of batchesOf(entries)) {
    await tx.execute(sql`
      insert into ${fileEntries} (file_uid, path, size, sha256, at, length, method, crc32, packed, data_at, mode)
      select ${fileUid}::uuid, * from unnest(
        ${columnOf(batch, ({ path }) => path)}::text[],
        ${columnOf(batch, ({ size }) => size)}::bigint[],
        ${columnOf(batch, ({ sha256 }) => sha256)}::text[],
        ${placeColumns(batch)})`)
  }
}

/** Adds the places to entries that were recorded without them. */
export async function savePlaces(
  tx: Transaction,
  fileUid: string,
  entries: readonly (EntryPlace & { path: string })[],
): Promise<void> {
  for (const batch of batchesOf(entries)) {
    await tx.execute(sql`
      update ${fileEntries} as entry set at = placed.at, length = placed.length, method = placed.method,
        crc32 = placed.crc32, packed = placed.packed, data_at = placed.data_at, mode = placed.mode
      from unnest(${columnOf(batch, ({ path }) => path)}::text[], ${placeColumns(batch)})
        as placed (path, at, length, method, crc32, packed, data_at, mode)
      where entry.file_uid = ${fileUid} and entry.path = placed.path`)
  }
}

function placeColumns(batch: readonly EntryPlace[]): SQL {
  return sql`
    ${columnOf(batch, ({ at }) => at)}::bigint[],
    ${columnOf(batch, ({ length }) => length)}::bigint[],
    ${columnOf(batch, ({ method }) => method)}::smallint[],
    ${columnOf(batch, ({ crc32 }) => crc32)}::bigint[],
    ${columnOf(batch, ({ packed }) => packed)}::bigint[],
    ${columnOf(batch, ({ dataAt }) => dataAt)}::bigint[],
    ${columnOf(batch, ({ mode }) => mode)}::integer[]`
}

function columnOf<Entry>(batch: readonly Entry[], pick: (entry: Entry) => string | number | null) {
  return sql.param(batch.map(pick))
}

function* batchesOf<Entry>(entries: readonly Entry[]): Generator<readonly Entry[]> {
  for (let at = 0; at < entries.length; at += ENTRIES_AT_ONCE) yield entries.slice(at, at + ENTRIES_AT_ONCE)
}

/** Whether entries of the file lack their places. */
export async function lacksPlaces(db: Db, fileUid: string): Promise<boolean> {
  return await hasRows(
    db
      .select({ path: fileEntries.path })
      .from(fileEntries)
      .where(and(eq(fileEntries.fileUid, fileUid), isNull(fileEntries.dataAt)))
      .limit(1),
  )
}

export type CleanFile = Pick<typeof files.$inferSelect, 'uid' | 'gameUid' | 'objectKey' | 'size'>

export async function findCleanFile(db: Db, uid: string): Promise<CleanFile | undefined> {
  return await one(
    db
      .select({ uid: files.uid, gameUid: files.gameUid, objectKey: files.objectKey, size: files.size })
      .from(files)
      .where(and(eq(files.uid, uid), eq(files.scan, 'clean'))),
  )
}

/** The entries after `path`, ordered by path; entries without a recorded place are left out. */
export async function listContents(db: Db, fileUid: string, after: string): Promise<RecordedEntry[]> {
  const rows = await db
    .select()
    .from(fileEntries)
    .where(and(eq(fileEntries.fileUid, fileUid), gt(fileEntries.path, after)))
    .orderBy(asc(fileEntries.path))
    .limit(ENTRIES_AT_ONCE)
  return rows.filter(isPlaced)
}

export async function findRecorded(db: Db, fileUid: string, path: string): Promise<RecordedEntry | null> {
  const rows = await db
    .select()
    .from(fileEntries)
    .where(and(eq(fileEntries.fileUid, fileUid), eq(fileEntries.path, path)))
  return rows.find(isPlaced) ?? null
}

/** Lists the Android packages in the file; at most `limit`. */
export async function listApks(db: Db, fileUid: string, limit: number): Promise<RecordedEntry[]> {
  const rows = await db
    .select()
    .from(fileEntries)
    .where(and(eq(fileEntries.fileUid, fileUid), isApk))
    .limit(limit)
  return rows.filter(isPlaced)
}

export async function hasMoreEntries(db: Db, fileUid: string, count: number): Promise<boolean> {
  return await hasRows(
    db
      .select({ path: fileEntries.path })
      .from(fileEntries)
      .where(eq(fileEntries.fileUid, fileUid))
      .offset(count)
      .limit(1),
  )
}

type EntryRow = typeof fileEntries.$inferSelect

function isPlaced(row: EntryRow): row is EntryRow & RecordedEntry {
  return row.dataAt !== null
}
