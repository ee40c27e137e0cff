import type { Db } from '../../../db/client.ts'
import type { OperatingSystem } from '../../../domain/platforms.ts'
import { type Page, type Paged, paged } from '../../../lib/paging.ts'
import * as queries from './stable-queries.ts'

export type SystemFile = Awaited<ReturnType<typeof queries.listStableFilesFor>>[number]

const FILES_MAX = 200

/** Clean files of the builds that stable points at, of every app; an unusually large release is cut. */
export async function readStableFiles(db: Db, gameUid: string): Promise<queries.StableFile[]> {
  return await queries.listStableFiles(db, gameUid, FILES_MAX)
}

export async function pageStableFiles(
  db: Db,
  gameUid: string,
  page: Page,
): Promise<Paged<queries.StableFile>> {
  const [rows, total] = await Promise.all([
    queries.listStableFiles(db, gameUid, page.page_size, page.offset),
    queries.countStableFiles(db, gameUid),
  ])
  return paged(page, rows, total)
}

/** What to download on one system, by game; one query. */
export async function readStableFilesFor(
  db: Db,
  gameUids: readonly string[],
  os: OperatingSystem,
): Promise<ReadonlyMap<string, SystemFile>> {
  const rows = await queries.listStableFilesFor(db, gameUids, os)
  return new Map(rows.map((row) => [row.gameUid, row]))
}

/** Systems with something to download and the best scan state, by game; one query. */
export async function readStableFactsOf(
  db: Db,
  gameUids: readonly string[],
): Promise<ReadonlyMap<string, queries.StableFacts>> {
  const rows = await queries.listStableFacts(db, gameUids)
  return new Map(rows.map((row) => [row.gameUid, row]))
}
