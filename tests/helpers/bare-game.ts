import type { Db } from '../../src/db/client.ts'
import { users } from '../../src/db/schema/accounts.ts'
import { games } from '../../src/db/schema/games/games.ts'
import { createUid } from '../../src/lib/ids.ts'

/** Inserts a listing and its owner directly, for tests without a server. Returns the listing's uid. */
export async function insertBareGame(db: Db): Promise<string> {
  const [ownerUid, uid] = [createUid(), createUid()]
  const name = `bare-${uid}`
  await db
    .insert(users)
    .values({ id: ownerUid, name, email: `${name}@example.org`, username: name.slice(0, 32) })
  await db.insert(games).values({ uid, ownerUid, name, vanityName: name, assetType: 'game' })
  return uid
}
