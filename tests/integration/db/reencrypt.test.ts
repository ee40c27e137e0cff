import { afterAll, beforeAll, expect, test } from 'bun:test'

import { type DatabaseHandle, openDatabase } from '../../../src/db/client.ts'
import { countStaleSecrets, encryptionContext, reencryptSecrets } from '../../../src/db/reencrypt.ts'
import { gameAuthKeys } from '../../../src/db/schema/game-credentials.ts'
import { createKeyring } from '../../../src/lib/keyring.ts'
import { insertBareGame } from '../../helpers/bare-game.ts'
import { createTestDatabase, type TestDatabase } from '../../helpers/database.ts'

let database: TestDatabase
let handle: DatabaseHandle
beforeAll(async () => {
  database = await createTestDatabase()
  handle = openDatabase(database.url)
})
afterAll(async () => {
  await handle.dispose()
  await database.drop()
})

test('a change of SECRET_KEY moves every stored secret to the new key', async () => {
  const [oldKey, newKey] = ['o'.repeat(32), 'n'.repeat(32)]
  const { db } = handle
  const gameUid = await insertBareGame(db)
  const context = encryptionContext.gameAuthKey(gameUid)
  await db
    .insert(gameAuthKeys)
    .values({ gameUid, authKey: createKeyring(oldKey, null).encrypt('the key', context) })

  const rotating = { db, keyring: createKeyring(newKey, oldKey) }
  expect(await countStaleSecrets(rotating)).toBe(1)
  expect(await reencryptSecrets(rotating)).toBe(1)
  expect(await reencryptSecrets(rotating)).toBe(0)

  const [row] = await db.select().from(gameAuthKeys)
  expect(createKeyring(newKey, null).decrypt(row?.authKey ?? '', context)).toBe('the key')
})
