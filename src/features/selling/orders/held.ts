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
