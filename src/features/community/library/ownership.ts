import type { Db } from '../../../db/client.ts'
import type { EntitlementFacts } from '../../../domain/listings/entitlement.ts'
import { AppError } from '../../../errors.ts'
import { type GameAccess, openPage } from '../../games/service.ts'
import * as queries from './license-queries.ts'
import type { Holder } from './service.ts'

/** For the rule about files: null where there is no such game. */
export async function readStanding(
  db: Db,
  user: Holder,
  gameUid: string,
): Promise<NonNullable<EntitlementFacts['person']> | null> {
  const found = await queries.findStanding(db, user.userUid, gameUid)
  if (!found) return null
  const { isMaker, isPaid, license } = found
  const { adultContent } = user
  const held = license && { isPaid, beta: license.beta, pending: license.pending }
  return { isMaker, adultContent, license: held }
}

/** What `open` finds, or a game whose files this person owns although its page is hidden. */
export async function openOwned(
  db: Db,
  user: Holder | null,
  ref: string,
  open: () => Promise<GameAccess> = () => openPage(db, user, ref),
): Promise<GameAccess> {
  try {
    return await open()
  } catch (error) {
    const isMissing = error instanceof AppError && error.kind === 'not_found'
    const game = isMissing && user ? await queries.findPaidGame(db, user.userUid, ref) : undefined
    if (!game) throw error
    return { game, role: null }
  }
}
