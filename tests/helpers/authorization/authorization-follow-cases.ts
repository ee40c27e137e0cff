import { developerFollows, gameFollows } from '../../../src/db/schema/follows.ts'
import { insertGame } from '../listings.ts'
import type { Case, Params, Setting } from './authorization-cases.ts'

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
