import { afterAll, beforeAll, expect, test } from 'bun:test'

import { type DatabaseHandle, openDatabase } from '../../../src/db/client.ts'
import { countStaleSecrets, encryptionContext, reencryptSecrets } from '../../../src/db/reencrypt.ts'
import { bugReporters } from '../../../src/db/schema/bugs.ts'
import { extstoreLinks } from '../../../src/db/schema/extstore.ts'
import { createKeyring } from '../../../src/lib/keyring.ts'
import { insertBareGame } from '../../helpers/bare-game.ts'
import { createTestDatabase, type TestDatabase } from '../../helpers/database.ts'
import { insertLink } from '../../helpers/extstore/extstore-links.ts'

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
  const before = createKeyring(oldKey, null)
  const { authKey, webApiKey } = await insertLink({ db, keyring: before }, gameUid)
  const signingKey = before.encrypt('signing key', encryptionContext.bugSigningKey(gameUid))
  await db.insert(bugReporters).values({ gameUid, signingKey })

  const rotating = { db, keyring: createKeyring(newKey, oldKey) }
  expect(await countStaleSecrets(rotating)).toBe(3)
  expect(await reencryptSecrets(rotating)).toBe(3)
  expect(await reencryptSecrets(rotating)).toBe(0)

  const [row] = await db.select().from(extstoreLinks)
  const keyring = createKeyring(newKey, null)
  expect(keyring.decrypt(row?.authKey ?? '', encryptionContext.gameAuthKey(gameUid))).toBe(authKey)
  expect(keyring.decrypt(row?.webApiKey ?? '', encryptionContext.webApiKey(gameUid))).toBe(webApiKey)
  const [reporter] = await db.select().from(bugReporters)
  const context = encryptionContext.bugSigningKey(gameUid)
  expect(keyring.decrypt(reporter?.signingKey ?? '', context)).toBe('signing key')
})
