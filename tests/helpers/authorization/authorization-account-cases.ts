import { oauthClients, oauthConsents } from '../../../src/db/schema/oauth.ts'
import { createUid } from '../../../src/lib/ids.ts'
import type { Case, Params, Setting } from './authorization-cases.ts'

async function insertProgram({ server, caller }: Setting): Promise<Params> {
  const clientId = crypto.randomUUID()
  await server.deps.db.insert(oauthClients).values({ id: createUid(), clientId, redirectUris: [] })
  await server.deps.db
    .insert(oauthConsents)
    .values({ id: createUid(), clientId, userId: caller.uid, scopes: ['player:read'] })
  return { client_id: clientId }
}

/** A callback without a started sign-in and a deletion with a wrong password are refused with 400. */
export const ACCOUNT_CASES: Record<string, Case> = {
  'DELETE /api/v1/private/me': { need: 'account', body: { password: 'not the password' }, allowed: 400 },
  'GET /api/v1/private/me/export': { need: 'account' },
  'GET /api/v1/private/me/extstore/connect': { need: 'account', allowed: 302 },
  'GET /api/v1/private/me/extstore/callback': { need: 'account', allowed: 400 },
  'DELETE /api/v1/private/me/extstore': { need: 'account' },
  'GET /api/v1/private/me/programs': { need: 'account' },
  'DELETE /api/v1/private/me/programs/:client_id': { need: 'account', params: insertProgram },
}
