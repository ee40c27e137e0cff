import type { Deps } from '../../deps.ts'
import { AppError } from '../../errors.ts'
import type { WebsiteUser } from '../../lib/actor.ts'
import { sha256Hex } from '../../lib/hash.ts'
import { createSecret } from '../../lib/ids.ts'
import { type Page, type Paged, paged } from '../../lib/paging.ts'
import { lockGame, openGame } from '../game-access/service.ts'
import type { DeployKey, NewDeployKey } from './model.ts'
import * as queries from './queries.ts'

/** The only time the secret is seen. All earlier pairs of the game stop working at once. */
export async function issueDeployKey(deps: Deps, actor: WebsiteUser, ref: string): Promise<NewDeployKey> {
  return await deps.db.transaction(async (tx) => {
    const { game } = await lockGame(tx, actor, ref, 'edit')
    if (!actor.developerMode) throw new AppError('developer_mode_needed')
    const pair = { access_token: createSecret(), secret_key: createSecret() }
    await queries.revokeKeys(tx, game.uid)
    await queries.insertKey(tx, {
      gameUid: game.uid,
      accessToken: pair.access_token,
      secretHash: sha256Hex(pair.secret_key),
    })
    return pair
  })
}

export async function listDeployKeys(
  deps: Deps,
  actor: WebsiteUser,
  ref: string,
  page: Page,
): Promise<Paged<DeployKey>> {
  const { game } = await openGame(deps.db, actor, ref, 'edit')
  const [rows, total] = await Promise.all([
    queries.listKeys(deps.db, game.uid, page),
    queries.countKeys(deps.db, game.uid),
  ])
  return paged(page, rows.map(showKey), total)
}

function showKey(row: queries.DeployKeyRow): DeployKey {
  return {
    uid: row.uid,
    last4: row.accessToken.slice(-4),
    created_at: row.createdAt.toISOString(),
    revoked_at: row.revokedAt?.toISOString() ?? null,
  }
}
