import type { Db } from '../../../db/client.ts'
import { BETA, STABLE } from '../../../domain/builds/channels.ts'
import { describeMissingPage } from '../../../domain/builds/entry-page.ts'
import * as queries from './queries.ts'

/** What a browser can play of a game. */
export interface WebBuild {
  buildUid: string
  version: string
  /** The size of the zip. */
  bytes: number
}

/** The stable web build of each game that has one. One query. */
export async function readWebBuildsOf(db: Db, gameUids: readonly string[]): Promise<Map<string, WebBuild>> {
  const rows = await queries.listStablePlayable(db, gameUids)
  const found = new Map<string, WebBuild>()
  for (const { gameUid, buildUid, version, bytes } of rows) {
    if (!found.has(gameUid)) found.set(gameUid, { buildUid, version, bytes })
  }
  return found
}

/** The channels that a player may choose: stable first, the others for those who may see them. */
export async function readPlayableChannels(
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
