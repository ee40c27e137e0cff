import type { Db } from '../../db/client.ts'
import type { Agent, Player, StorePlayer, WebsiteUser } from '../../domain/actor.ts'
import type { Filer } from './filer-model.ts'
import * as queries from './filer-queries.ts'

/** With the account that is linked now. */
export async function identifyFiler(
  db: Db,
  actor: Player | StorePlayer | WebsiteUser | Agent,
): Promise<Filer> {
  if (actor.kind === 'store_player') return { userUid: actor.linkedUserUid, extstoreId: actor.extstoreId }
  const { userUid } = actor
  return { userUid, extstoreId: await queries.findLinkedAccount(db, userUid) }
}
