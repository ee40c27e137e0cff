import { eq } from 'drizzle-orm'

import type { Db } from '../../db/client.ts'
import { sessions, users } from '../../db/schema/accounts.ts'
import { deployKeys } from '../../db/schema/deploy-keys.ts'
import { extstoreSessions } from '../../db/schema/extstore.ts'
import { licenses, playTimes, reviews } from '../../db/schema/game-players.ts'
import { tagSuggestions } from '../../db/schema/game-tags.ts'
import { gameAdmins } from '../../db/schema/game-team.ts'
import { games } from '../../db/schema/games.ts'

export async function listSessions(db: Db, userUid: string) {
  return await db.select().from(sessions).where(eq(sessions.userId, userUid)).orderBy(sessions.createdAt)
}

export async function listOwnedGames(db: Db, userUid: string) {
  return await db
    .select({ uid: games.uid, vanity_name: games.vanityName, name: games.name })
    .from(games)
    .where(eq(games.ownerUid, userUid))
    .orderBy(games.uid)
}

export async function listMemberships(db: Db, userUid: string) {
  return await db.select().from(gameAdmins).where(eq(gameAdmins.userUid, userUid))
}

export async function listIssuedKeys(db: Db, userUid: string) {
  return await db
    .select({ gameUid: deployKeys.gameUid, createdAt: deployKeys.createdAt })
    .from(deployKeys)
    .where(eq(deployKeys.issuedBy, userUid))
}

export async function listLicenses(db: Db, userUid: string) {
  return await db.select().from(licenses).where(eq(licenses.userUid, userUid))
}

export async function listPlayTimes(db: Db, userUid: string) {
  return await db
    .select({ game_uid: playTimes.gameUid, seconds: playTimes.seconds })
    .from(playTimes)
    .where(eq(playTimes.userUid, userUid))
}

export async function listReviews(db: Db, userUid: string) {
  return await db.select().from(reviews).where(eq(reviews.userUid, userUid))
}

export async function listSuggestedTags(db: Db, userUid: string) {
  return await db
    .select({ game_uid: tagSuggestions.gameUid, tag: tagSuggestions.tag })
    .from(tagSuggestions)
    .where(eq(tagSuggestions.userUid, userUid))
}

export async function listStoreSignIns(db: Db, userUid: string) {
  return await db.select().from(extstoreSessions).where(eq(extstoreSessions.userUid, userUid))
}

/** With everything that hangs on it; fails while it owns a listing. */
export async function deleteUser(db: Db, uid: string): Promise<void> {
  await db.delete(users).where(eq(users.id, uid))
}
