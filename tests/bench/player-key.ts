import { openDatabase } from '../../src/db/client.ts'
import { users } from '../../src/db/schema/accounts.ts'
import { PLAYER_KEY_PREFIX } from '../../src/domain/actor.ts'
import { insertPlayerKey as insertKeyRow } from '../../src/features/accounts/queries.ts'
import { sha256Hex } from '../../src/lib/bytes/hash.ts'
import { createSecret, createUid } from '../../src/lib/ids.ts'

/** Inserts a new player into the database and returns the key. */
export async function insertPlayerKey(databaseUrl: string): Promise<string> {
  const database = openDatabase(databaseUrl, { maxConnections: 1 })
  try {
    const id = createUid()
    const key = PLAYER_KEY_PREFIX + createSecret()
    await database.db
      .insert(users)
      .values({ id, name: 'Bench', email: `${id}@bench.example`, username: id.slice(-12) })
    await insertKeyRow(database.db, {
      userUid: id,
      label: 'bench',
      keyHash: sha256Hex(key),
      last4: key.slice(-4),
      scopes: ['player:read'],
    })
    return key
  } finally {
    await database.dispose()
  }
}
