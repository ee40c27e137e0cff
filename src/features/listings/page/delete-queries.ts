import { eq, sql } from 'drizzle-orm'

import type { Transaction } from '../../../db/client.ts'
import { users } from '../../../db/schema/accounts.ts'
import { licenses } from '../../../db/schema/games/game-players.ts'
import { games } from '../../../db/schema/games/games.ts'

/** Everything that belongs to the listing goes with it, apart from the licences. */
export async function deleteGame(tx: Transaction, uid: string): Promise<void> {
  await tx.delete(games).where(eq(games.uid, uid))
}

/** The holders keep the name that they knew. */
export async function endLicenses(tx: Transaction, game: { uid: string; name: string }): Promise<void> {
  await tx
    .update(licenses)
    .set({ removedAt: new Date(), gameName: sql`coalesce(${licenses.gameName}, ${game.name})` })
    .where(eq(licenses.gameUid, game.uid))
}

export interface Orphan {
  title: string
  vanityName: string
  ownerUid: string
  email: string
  name: string
}

/** Turns the parent of all children into an external one. Returns the children with their owners. */
export async function moveParentOutside(
  tx: Transaction,
  uid: string,
  { name, url }: { name: string; url: string },
): Promise<Orphan[]> {
  return await tx
    .update(games)
    .set({
      parentUid: null,
      parentExternalName: name,
      parentExternalUrl: url,
      revision: sql`${games.revision} + 1`,
    })
    .from(users)
    .where(sql`${games.parentUid} = ${uid} and ${users.id} = ${games.ownerUid}`)
    .returning({
      title: games.name,
      vanityName: games.vanityName,
      ownerUid: games.ownerUid,
      email: users.email,
      name: users.name,
    })
}
