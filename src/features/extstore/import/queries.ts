import { eq, or } from 'drizzle-orm'

import type { Db } from '../../../db/client.ts'
import { extstoreLinks } from '../../../db/schema/extstore.ts'

/** The link of the app and the link of the listing: none, one, or two different ones. */
export async function listLinks(
  db: Db,
  appId: number,
  gameUid: string | null,
): Promise<{ gameUid: string; appId: number }[]> {
  const ofApp = eq(extstoreLinks.appId, appId)
  return await db
    .select({ gameUid: extstoreLinks.gameUid, appId: extstoreLinks.appId })
    .from(extstoreLinks)
    .where(gameUid === null ? ofApp : or(ofApp, eq(extstoreLinks.gameUid, gameUid)))
}
