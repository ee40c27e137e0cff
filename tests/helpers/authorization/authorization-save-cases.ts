import { eq } from 'drizzle-orm'

import { games } from '../../../src/db/schema/games/games.ts'
import { saveSets } from '../../../src/db/schema/saves.ts'
import type { Case, Params, Setting } from './authorization-cases.ts'

async function enableSaves({ server, game }: Setting): Promise<Params> {
  await server.deps.db.update(games).set({ savesEnabled: true }).where(eq(games.uid, game.uid))
  return {}
}

async function allowSaves(setting: Setting): Promise<Params> {
  const { server, game, caller } = setting
  const values = { gameUid: game.uid, gameName: game.name, userUid: caller.uid, webAllowed: true }
  await server.deps.db.insert(saveSets).values(values)
  return await enableSaves(setting)
}

/** Everyone about their own saves only, of a game whose page they can open. */
export const SAVE_CASES: Record<string, Case> = {
  'GET /api/v1/private/games/:uid/saves': { need: 'see' },
  'PUT /api/v1/private/games/:uid/saves': { need: 'see', body: { allowed: true }, params: enableSaves },
  'POST /api/v1/private/games/:uid/saves/token': { need: 'see', params: allowSaves, allowed: 201 },
}
