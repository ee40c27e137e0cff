import { eq } from 'drizzle-orm'

import type { Keyring } from '../lib/keyring.ts'
import type { Db } from './client.ts'
import { gameAuthKeys } from './schema/game-credentials.ts'

interface EncryptedRow {
  ciphertext: string
  context: string
  replace(ciphertext: string): Promise<unknown>
}

/** What an encrypted value is bound to; every encrypted column has its line here and in `readEncrypted`. */
export const encryptionContext = {
  gameAuthKey: (gameUid: string) => `game_auth_keys:${gameUid}`,
} as const

async function readEncrypted(db: Db): Promise<EncryptedRow[]> {
  const authKeys = await db.select().from(gameAuthKeys)
  return authKeys.map(({ gameUid, authKey }) => ({
    ciphertext: authKey,
    context: encryptionContext.gameAuthKey(gameUid),
    replace: (ciphertext) =>
      db.update(gameAuthKeys).set({ authKey: ciphertext }).where(eq(gameAuthKeys.gameUid, gameUid)),
  }))
}

export async function countStaleSecrets({ db, keyring }: { db: Db; keyring: Keyring }): Promise<number> {
  const rows = await readEncrypted(db)
  return rows.filter((row) => keyring.isStale(row.ciphertext)).length
}

/** After a change of SECRET_KEY: moves everything from the previous key to the current one. */
export async function reencryptSecrets({ db, keyring }: { db: Db; keyring: Keyring }): Promise<number> {
  const stale = (await readEncrypted(db)).filter((row) => keyring.isStale(row.ciphertext))
  for (const { ciphertext, context, replace } of stale) {
    await replace(keyring.encrypt(keyring.decrypt(ciphertext, context), context))
  }
  return stale.length
}
