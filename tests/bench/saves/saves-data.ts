import { openDatabase } from '../../../src/db/client.ts'
import { users } from '../../../src/db/schema/accounts.ts'
import { licenses } from '../../../src/db/schema/games/game-players.ts'
import { games } from '../../../src/db/schema/games/games.ts'
import { PLAYER_KEY_PREFIX } from '../../../src/domain/actor.ts'
import { insertPlayerKey } from '../../../src/features/accounts/queries.ts'
import { sha256Hex } from '../../../src/lib/bytes/hash.ts'
import { createSecret, createUid } from '../../../src/lib/ids.ts'

export interface SavesData {
  gameUid: string
  /** One key for each player. */
  keys: string[]
}

/** A public game that keeps saves, and players with licences. */
export async function insertSavePlayers(databaseUrl: string, count: number): Promise<SavesData> {
  const database = openDatabase(databaseUrl, { maxConnections: 1 })
  try {
    const { db } = database
    const people = Array.from({ length: count + 1 }, () => createUid())
    const [ownerUid = '', ...players] = people
    await db.insert(users).values(
      people.map((id) => ({
        id,
        name: 'Bench',
        email: `${id}@bench.example`,
        username: id.slice(-12),
      })),
    )
    const gameUid = createUid()
    await db.insert(games).values({
      uid: gameUid,
      ownerUid,
      assetType: 'game',
      visibility: 'public',
      name: 'Saves',
      vanityName: `saves-${gameUid.slice(-12)}`,
      savesEnabled: true,
    })
    await db
      .insert(licenses)
      .values(players.map((userUid) => ({ userUid, gameUid, source: 'claimed' as const })))
    const keys: string[] = []
    for (const userUid of players) {
      const key = PLAYER_KEY_PREFIX + createSecret()
      const values = { userUid, label: 'bench', keyHash: sha256Hex(key), last4: key.slice(-4) }
      await insertPlayerKey(db, { ...values, scopes: ['player:saves'] })
      keys.push(key)
    }
    return { gameUid, keys }
  } finally {
    await database.dispose()
  }
}
