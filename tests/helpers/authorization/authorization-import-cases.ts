import { extstoreLinks } from '../../../src/db/schema/extstore.ts'
import type { Case, Params, Setting } from './authorization-cases.ts'

/** Callers with access get 400 for the invalid key, before any request to the store. */
const badKey = { body: { app_id: 620, web_api_key: 'x' }, allowed: 400 }

let nextAppId = 5_000_000

/** Sign-in is off, so there is no saved key to use instead of a missing one. */
async function linkedOff({ server, game }: Setting): Promise<Params> {
  nextAppId += 1
  await server.deps.db.insert(extstoreLinks).values({ gameUid: game.uid, appId: nextAppId })
  return {}
}

/** Import from the external store. */
export const IMPORT_CASES: Record<string, Case> = {
  'POST /api/v1/private/steam/import/preview': { need: 'account', ...badKey },
  'POST /api/v1/private/steam/import': { need: 'account', ...badKey },
  'POST /api/v1/private/games/:uid/steam/resync': {
    need: 'edit',
    params: linkedOff,
    body: {},
    allowed: 400,
  },
}
