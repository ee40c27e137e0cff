import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { sha256Hex } from '../../../lib/bytes/hash.ts'
import { findConfirmation } from './pending-queries.ts'

/** The address that the link would confirm; null unless it belongs to this account and is valid. */
export async function readConfirmation(deps: Deps, user: WebsiteUser, token: string): Promise<string | null> {
  const found = await findConfirmation(deps.db, user.userUid, sha256Hex(token), new Date())
  return found?.email ?? null
}
