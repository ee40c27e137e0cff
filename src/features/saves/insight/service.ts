import type { Deps } from '../../../deps.ts'
import { PLAYERS_SHOWN_FROM } from '../../../domain/saves.ts'
import * as queries from './queries.ts'

/** What a developer learns of the saves of a game: never whose they are, nor what is in them. */
export interface SavesInsight {
  /** Null while there are too few players to tell nothing about each. */
  use: { players: number; bytes: number } | null
  faults: queries.FaultRow[]
}

const BUILDS_SHOWN = 50

/** For pages that have checked that the visitor may edit the game. */
export async function loadSavesInsight({ db }: Pick<Deps, 'db'>, gameUid: string): Promise<SavesInsight> {
  const [use, faults] = await Promise.all([
    queries.countPlayers(db, gameUid),
    queries.listFaults(db, gameUid, BUILDS_SHOWN),
  ])
  return { use: use.players < PLAYERS_SHOWN_FROM ? null : use, faults }
}
