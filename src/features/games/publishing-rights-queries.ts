import { and, asc, eq, inArray, isNull } from 'drizzle-orm'

import type { Transaction } from '../../db/client.ts'
import { users } from '../../db/schema/accounts.ts'
import { deployKeys } from '../../db/schema/deploy-keys.ts'
import { gameAdmins } from '../../db/schema/games/game-team.ts'
import { games } from '../../db/schema/games/games.ts'
import { publishers } from '../../db/schema/publishers.ts'

/** The listings that this person helps run, locked against edits, always in the same order. */
export async function lockAdministered(tx: Transaction, userUid: string): Promise<void> {
  const administered = tx
    .select({ uid: gameAdmins.gameUid })
    .from(gameAdmins)
    .where(eq(gameAdmins.userUid, userUid))
  await tx
    .select({ uid: games.uid })
    .from(games)
    .where(inArray(games.uid, administered))
    .orderBy(asc(games.uid))
    .for('no key update')
}

/** `gameUid` null: of every listing. */
export async function deletePublishersBy(tx: Transaction, userUid: string, gameUid: string | null) {
  return await tx
    .delete(publishers)
    .where(
      and(eq(publishers.addedBy, userUid), gameUid === null ? undefined : eq(publishers.gameUid, gameUid)),
    )
    .returning()
}

/** Also the keys that pipelines got through this person's publishers. */
export async function revokeKeysBy(tx: Transaction, userUid: string, gameUid: string | null) {
  return await tx
    .update(deployKeys)
    .set({ revokedAt: new Date() })
    .where(
      and(
        eq(deployKeys.issuedBy, userUid),
        isNull(deployKeys.revokedAt),
        gameUid === null ? undefined : eq(deployKeys.gameUid, gameUid),
      ),
    )
    .returning()
}

export async function listOwners(tx: Transaction, gameUids: readonly string[]) {
  return await tx
    .select({
      uid: games.uid,
      name: games.name,
      vanityName: games.vanityName,
      owner: { email: users.email, name: users.name },
    })
    .from(games)
    .innerJoin(users, eq(users.id, games.ownerUid))
    .where(inArray(games.uid, [...gameUids]))
}
