import type { Db } from '../../../db/client.ts'
import { BETA, STABLE } from '../../../domain/builds/channels.ts'
import { describeMissingPage } from '../../../domain/builds/files.ts'
import type { OperatingSystem } from '../../../domain/builds/platforms.ts'
import { type Page, type Paged, paged } from '../../../lib/paging.ts'
import type { StableFacts } from './shared-queries.ts'
import * as queries from './stable-queries.ts'

export type SystemFile = Awaited<ReturnType<typeof queries.listStableFilesFor>>[number]

export type OtherFile = Awaited<ReturnType<typeof queries.listOtherFiles>>[number]

const FILES_MAX = 200
const UNSCANNED_MAX = 6
const APPS_MAX = 50
/** How many other files a library shows per listing; the listing's page shows all of them. */
const OTHERS_MAX = 6

export type UnscannedBuild = queries.UnscannedBuild
export type StableFile = queries.StableFile

/** Clean files of the stable builds of every app; at most FILES_MAX of them. */
export async function listStableFiles(db: Db, gameUid: string): Promise<StableFile[]> {
  return await queries.listStableFiles(db, gameUid, FILES_MAX)
}

/** The same for beta, for players who joined it; leaves out files that are also on stable. */
export async function loadBetaFiles(db: Db, gameUid: string): Promise<StableFile[]> {
  const [beta, stable] = await Promise.all([
    queries.listFilesOn(db, BETA, gameUid, FILES_MAX),
    listStableFiles(db, gameUid),
  ])
  const known = new Set(stable.map(({ fileUid }) => fileUid))
  return beta.filter(({ fileUid }) => !known.has(fileUid))
}

/** Builds for stable that are being scanned, and then those that were refused. */
export async function listUnscanned(db: Db, gameUid: string): Promise<UnscannedBuild[]> {
  return await queries.listUnscanned(db, gameUid, UNSCANNED_MAX)
}

export async function pageStableFiles(db: Db, gameUid: string, page: Page): Promise<Paged<StableFile>> {
  const [rows, total] = await Promise.all([
    queries.listStableFiles(db, gameUid, page.page_size, page.offset),
    queries.countStableFiles(db, gameUid),
  ])
  return paged(page, rows, total)
}

/** The file to download on one system, by game, in one query. */
export async function loadStableFilesFor(
  db: Db,
  gameUids: readonly string[],
  os: OperatingSystem,
): Promise<ReadonlyMap<string, SystemFile>> {
  const rows = await queries.listStableFilesFor(db, gameUids, os)
  return new Map(rows.map((row) => [row.gameUid, row]))
}

/** Files of the games' other apps, such as a server, by game, in one query. */
export async function loadOtherFilesOf(
  db: Db,
  gameUids: readonly string[],
): Promise<ReadonlyMap<string, OtherFile[]>> {
  return Map.groupBy(await queries.listOtherFiles(db, gameUids, OTHERS_MAX), ({ gameUid }) => gameUid)
}

/** The game itself and its other programs, each with the systems that have a clean file. */
export async function listStableApps(db: Db, gameUid: string): Promise<queries.StableApp[]> {
  return await queries.listStableApps(db, gameUid, APPS_MAX)
}

/** Per game the systems with a clean file and the best scan state, in one query. */
export async function loadStableFactsOf(
  db: Db,
  gameUids: readonly string[],
): Promise<ReadonlyMap<string, StableFacts>> {
  const rows = await queries.listStableFacts(db, gameUids)
  return new Map(rows.map(({ gameUid, facts }) => [gameUid, facts]))
}

/** The channels that a player may choose: stable first, the others for those who may see them. */
export async function listPlayableChannels(
  db: Db,
  gameUid: string,
  { isMaker, inBeta }: { isMaker: boolean; inBeta: boolean },
): Promise<string[]> {
  const channels = await queries.listPlayableChannels(db, gameUid)
  const shown = channels.filter((channel) => isMaker || channel === STABLE || (channel === BETA && inBeta))
  return shown.toSorted((a, b) => Number(b === STABLE) - Number(a === STABLE))
}

export interface WebFile {
  buildUid: string
  version: string
  channel: string
  filename: string
  /** Why it is a download only; null when it can be played. */
  fault: string | null
}

const SHOWN_MAX = 50

/** The clean web files of a game for its studio, newest first. */
export async function listWebFiles(db: Db, gameUid: string): Promise<WebFile[]> {
  const rows = await queries.listWebFiles(db, gameUid, SHOWN_MAX)
  return rows.map(({ entryPage, misplaced, ...file }) => ({
    ...file,
    fault: entryPage === null ? describeMissingPage(misplaced) : null,
  }))
}
