import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { AppError } from '../../../errors.ts'
import { sha256Hex } from '../../../lib/bytes/hash.ts'
import { createSecret } from '../../../lib/ids.ts'
import { type Page, type Paged, paged } from '../../../lib/paging.ts'
import { lockGame, openGame } from '../../games/service.ts'
import type { DeployKey, NewDeployKey } from './model.ts'
import * as queries from './queries.ts'
import { insertKey, revokeIssuedPairs } from './shared-queries.ts'

/** Returns the secret, which cannot be read again later. All earlier keys of the game are revoked. */
export async function issueDeployKey(deps: Deps, actor: WebsiteUser, ref: string): Promise<NewDeployKey> {
  return await deps.db.transaction(async (tx) => {
    const { game } = await lockGame(tx, actor, ref, 'edit')
    if (!actor.developerMode) throw new AppError('developer_mode_needed')
    if (!game.keysAllowed) {
      throw new AppError('forbidden', {
        message:
          'Only trusted publishers upload builds of this game. Allow deploy keys in its Pipelines tab first.',
      })
    }
    const pair = { access_token: createSecret(), secret_key: createSecret() }
    await revokeIssuedPairs(tx, game.uid)
    await insertKey(tx, {
      gameUid: game.uid,
      accessToken: pair.access_token,
      secretHash: sha256Hex(pair.secret_key),
      issuedBy: actor.userUid,
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

function showKey({ key, username, hasAccess }: queries.IssuedKeyRow): DeployKey {
  return {
    uid: key.uid,
    last4: key.accessToken.slice(-4),
    created_at: key.createdAt.toISOString(),
    revoked_at: key.revokedAt?.toISOString() ?? null,
    issued_by: username === null ? null : { username, has_access: hasAccess },
  }
}
