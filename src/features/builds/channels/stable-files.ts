import type { Db } from '../../../db/client.ts'
import { BETA } from '../../../domain/builds/channels.ts'
import type { OperatingSystem } from '../../../domain/builds/platforms.ts'
import { type Page, type Paged, paged } from '../../../lib/paging.ts'
import * as queries from './stable-queries.ts'

export type SystemFile = Awaited<ReturnType<typeof queries.listStableFilesFor>>[number]

export type OtherFile = Awaited<ReturnType<typeof queries.listOtherFiles>>[number]

const FILES_MAX = 200
const UNSCANNED_MAX = 6
const APPS_MAX = 50
/** Of one listing in a library; its page has all of them. */
const OTHERS_MAX = 6

export type UnscannedBuild = queries.UnscannedBuild
export type StableFile = queries.StableFile
export type StableFacts = queries.StableFacts

/** Clean files of the builds that stable points at, of every app; an unusually large release is cut. */
export async function readStableFiles(db: Db, gameUid: string): Promise<StableFile[]> {
  return await queries.listStableFiles(db, gameUid, FILES_MAX)
}

/** The same of beta, without builds that stable points at too. For players who joined it. */
export async function readBetaFiles(db: Db, gameUid: string): Promise<StableFile[]> {
  const [beta, stable] = await Promise.all([
    queries.listFilesOn(db, BETA, gameUid, FILES_MAX),
    readStableFiles(db, gameUid),
  ])
  const known = new Set(stable.map(({ fileUid }) => fileUid))
  return beta.filter(({ fileUid }) => !known.has(fileUid))
}

/** Builds for stable that are being scanned, and then those that were refused. */
export async function readUnscanned(db: Db, gameUid: string): Promise<UnscannedBuild[]> {
  return await queries.listUnscanned(db, gameUid, UNSCANNED_MAX)
}

export async function pageStableFiles(db: Db, gameUid: string, page: Page): Promise<Paged<StableFile>> {
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

/** What else the games have to download, such as a server, by game; one query. */
export async function readOtherFilesOf(
  db: Db,
  gameUids: readonly string[],
): Promise<ReadonlyMap<string, OtherFile[]>> {
  return Map.groupBy(await queries.listOtherFiles(db, gameUids, OTHERS_MAX), ({ gameUid }) => gameUid)
}

/** The game itself and its other programs, each with the systems that have a clean file. */
export async function readStableApps(db: Db, gameUid: string): Promise<queries.StableApp[]> {
  return await queries.listStableApps(db, gameUid, APPS_MAX)
}

/** Per game the systems with a clean file and the best scan state, in one query. */
export async function readStableFactsOf(
  db: Db,
  gameUids: readonly string[],
): Promise<ReadonlyMap<string, StableFacts>> {
  const rows = await queries.listStableFacts(db, gameUids)
  return new Map(rows.map((row) => [row.gameUid, row]))
}
