import type { Db } from '../../../db/client.ts'
import * as queries from './queries.ts'

/** The editions that a player holds; null is the listing itself. */
export async function readHeldEditions(
  db: Db,
  userUid: string,
  gameUid: string,
): Promise<readonly (string | null)[]> {
  return await queries.listHeldEditions(db, userUid, gameUid)
}

/** Whoever holds anything of the game has the listing itself; further editions can be added. */
export async function holdsEdition(
  db: Db,
  userUid: string,
  gameUid: string,
  editionUid: string | null,
): Promise<boolean> {
  const held = await readHeldEditions(db, userUid, gameUid)
  return editionUid === null ? held.length > 0 : held.includes(editionUid)
}
