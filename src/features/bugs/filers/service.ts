import type { Db } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { Agent, Player, StorePlayer, WebsiteUser } from '../../../domain/actor.ts'
import { findClientName } from '../../accounts/service.ts'
import type { Filer } from './model.ts'
import * as queries from './queries.ts'

/** With the account that is linked now. */
export async function identifyFiler(
  db: Db,
  actor: Player | StorePlayer | WebsiteUser | Agent,
): Promise<Filer> {
  if (actor.kind === 'store_player') return { userUid: actor.linkedUserUid, extstoreId: actor.extstoreId }
  const { userUid } = actor
  return { userUid, extstoreId: await queries.findLinkedAccount(db, userUid) }
}

/** As the history names them: the username, or the program and whom it acted for. */
export async function nameActor(deps: Deps, actor: WebsiteUser | Agent): Promise<string> {
  if (actor.kind === 'user') return actor.username
  const [program, username] = await Promise.all([
    findClientName(deps, actor.clientId),
    queries.findUsername(deps.db, actor.userUid),
  ])
  return `${program ?? 'A program'} for ${username ?? 'a deleted account'}`
}
