import { eq } from 'drizzle-orm'

import { extstoreLinks } from '../../../src/db/schema/extstore.ts'
import { insertLink } from '../extstore/extstore-links.ts'
import type { Case, Params, Setting } from './authorization-cases.ts'

const STEAM = '/api/v1/private/games/:uid/steam'

async function linked({ server, game }: Setting): Promise<Params> {
  await insertLink(server.deps, game.uid)
  return {}
}

async function linkedOff(setting: Setting): Promise<Params> {
  await linked(setting)
  await setting.server.deps.db
    .update(extstoreLinks)
    .set({ authKey: null, ticketKey: null, webApiKey: null })
    .where(eq(extstoreLinks.gameUid, setting.game.uid))
  return {}
}

/** Callers with access get 400 for the invalid key, before any request to the store. */
const badKey = { body: { web_api_key: 'x' }, allowed: 400 }

/** Sign-in with the external store. */
export const EXTSTORE_CASES: Record<string, Case> = {
  [`GET ${STEAM}`]: { need: 'edit', params: linked },
  [`DELETE ${STEAM}`]: { need: 'edit', params: linked },
  [`POST ${STEAM}/enable`]: { need: 'edit', params: linkedOff, ...badKey },
  [`POST ${STEAM}/disable`]: { need: 'edit', params: linked },
  [`GET ${STEAM}/auth-key`]: { need: 'edit', params: linked },
  [`POST ${STEAM}/auth-key`]: { need: 'edit', params: linked },
  [`POST ${STEAM}/ticket-key`]: { need: 'edit', params: linked },
  [`PUT ${STEAM}/web-api-key`]: { need: 'edit', params: linked, ...badKey },
}
