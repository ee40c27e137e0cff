import { accounts, passkeys, verifications } from '../../../src/db/schema/accounts.ts'
import { developerFollows, gameFollows } from '../../../src/db/schema/follows.ts'
import { oauthClients, oauthConsents } from '../../../src/db/schema/oauth.ts'
import { createUid } from '../../../src/lib/ids.ts'
import { pictureForm } from '../files/pictures.ts'
import { insertGame } from '../listings.ts'
import type { Case, Params, Setting } from './authorization-cases.ts'

async function insertProgram({ server, caller }: Setting): Promise<Params> {
  const clientId = crypto.randomUUID()
  await server.deps.db.insert(oauthClients).values({ id: createUid(), clientId, redirectUris: [] })
  await server.deps.db
    .insert(oauthConsents)
    .values({ id: createUid(), clientId, userId: caller.uid, scopes: ['player:read'] })
  return { client_id: clientId }
}

async function insertPasskey({ server, caller }: Setting): Promise<Params> {
  const uid = createUid()
  const key = { publicKey: 'x', credentialID: uid, counter: 0, deviceType: 'singleDevice', backedUp: false }
  await server.deps.db.insert(passkeys).values({ id: uid, userId: caller.uid, name: 'Key', ...key })
  return { uid }
}

async function insertConnection({ server, caller }: Setting): Promise<Params> {
  const row = { id: createUid(), userId: caller.uid, providerId: 'forge', accountId: caller.uid }
  await server.deps.db.insert(accounts).values(row).onConflictDoNothing()
  return { provider: 'forge' }
}

async function insertBrowser({ server, caller }: Setting): Promise<Params> {
  const uid = createUid()
  const expiresAt = new Date(Date.now() + 60_000)
  const row = { id: uid, identifier: `trust-device-${uid}`, value: caller.uid, expiresAt }
  await server.deps.db.insert(verifications).values(row)
  return { uid }
}

/** A callback without a started sign-in and a deletion with a wrong password are refused with 400. */
export const ACCOUNT_CASES: Record<string, Case> = {
  'DELETE /api/v1/private/me': { need: 'account', body: { password: 'not the password' }, allowed: 400 },
  'GET /api/v1/private/me/export': { need: 'account' },
  'GET /api/v1/private/me/extstore/connect': { need: 'account', allowed: 302 },
  'GET /api/v1/private/me/extstore/callback': { need: 'account', allowed: 400 },
  'DELETE /api/v1/private/me/extstore': { need: 'account' },
  'GET /api/v1/private/me/factors': { need: 'account' },
  'POST /api/v1/private/me/confirmation': { need: 'account', body: { password: 'wrong' }, allowed: 400 },
  'POST /api/v1/private/me/authenticator': { need: 'account' },
  'POST /api/v1/private/me/authenticator/confirm': { need: 'account', body: { code: '1' }, allowed: 400 },
  'DELETE /api/v1/private/me/authenticator': { need: 'account', allowed: 404 },
  'POST /api/v1/private/me/recovery-codes': { need: 'account', allowed: 409 },
  'PATCH /api/v1/private/me/passkeys/:uid': { need: 'account', params: insertPasskey, body: { name: 'x' } },
  'DELETE /api/v1/private/me/passkeys/:uid': { need: 'account', params: insertPasskey },
  'DELETE /api/v1/private/me/providers/:provider': { need: 'account', params: insertConnection },
  'DELETE /api/v1/private/me/trusted-browsers/:uid': { need: 'account', params: insertBrowser },
  'PUT /api/v1/private/me/picture': { need: 'account', form: pictureForm },
  'DELETE /api/v1/private/me/picture': { need: 'account' },
  'PUT /api/v1/private/me/banner': { need: 'account', form: pictureForm },
  'DELETE /api/v1/private/me/banner': { need: 'account' },
  'GET /api/v1/private/me/programs': { need: 'account' },
  'DELETE /api/v1/private/me/programs/:client_id': { need: 'account', params: insertProgram },
}

async function insertGameFollow({ server, game, caller }: Setting): Promise<Params> {
  await server.deps.db.insert(gameFollows).values({ gameUid: game.uid, userUid: caller.uid })
  return {}
}

async function publishForCaller({ server, caller }: Setting): Promise<Params> {
  await insertGame(server, caller, { visibility: 'public' })
  return { user_uid: caller.uid }
}

async function insertDeveloperFollow({ server, caller }: Setting): Promise<Params> {
  const values = { developerUid: caller.uid, userUid: caller.uid }
  await server.deps.db.insert(developerFollows).values(values).onConflictDoNothing()
  return { user_uid: caller.uid }
}

/** Nobody follows a draft, not even its makers; what is hidden later can be left. */
export const FOLLOW_CASES: Record<string, Case> = {
  'GET /api/v1/private/follows': { need: 'account' },
  'GET /api/v1/private/notices/settings': { need: 'account' },
  'PATCH /api/v1/private/notices/settings': { need: 'account', body: {} },
  'PUT /api/v1/private/follows/games/:uid': {
    need: 'see',
    body: {},
    except: (_, state) => (state === 'draft' ? 404 : undefined),
  },
  'DELETE /api/v1/private/follows/games/:uid': { need: 'account', params: insertGameFollow },
  'PUT /api/v1/private/follows/developers/:user_uid': {
    need: 'account',
    body: {},
    params: publishForCaller,
  },
  'DELETE /api/v1/private/follows/developers/:user_uid': {
    need: 'account',
    params: insertDeveloperFollow,
  },
  'GET /api/v1/private/notices': { need: 'account' },
  'POST /api/v1/private/notices/read': { need: 'account', body: { until: '2026-01-31T12:00:00.000Z' } },
}
