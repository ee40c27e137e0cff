import { eq, isNotNull } from 'drizzle-orm'

import type { Keyring } from '../lib/keyring.ts'
import type { Db } from './client.ts'
import { authenticators } from './schema/accounts.ts'
import { bugReporters } from './schema/bugs.ts'
import { statementKeys } from './schema/builds.ts'
import { extstoreLinks } from './schema/extstore.ts'
import { wishlistShares } from './schema/follows.ts'

interface EncryptedRow {
  ciphertext: string
  context: string
  replace(ciphertext: string): Promise<unknown>
}

/** The context each value is bound to. Every encrypted column needs an entry here and in `readEncrypted`. */
export const encryptionContext = {
  gameAuthKey: (gameUid: string) => `extstore_links.auth_key:${gameUid}`,
  webApiKey: (gameUid: string) => `extstore_links.web_api_key:${gameUid}`,
  authenticator: (userUid: string) => `authenticators.secret:${userUid}`,
  bugSigningKey: (gameUid: string) => `bug_reporters.signing_key:${gameUid}`,
  statementKey: (id: string) => `statement_keys.private_key:${id}`,
  wishlistShare: (userUid: string) => `wishlist_shares.token:${userUid}`,
} as const

async function listEncrypted(db: Db): Promise<EncryptedRow[]> {
  const parts = [
    listLinks(db),
    listBugReporters(db),
    listStatementKeys(db),
    listAuthenticators(db),
    listWishlistShares(db),
  ]
  return (await Promise.all(parts)).flat()
}

async function listStatementKeys(db: Db): Promise<EncryptedRow[]> {
  const keys = await db.select().from(statementKeys)
  return keys.map(({ id, privateKey }) => ({
    ciphertext: privateKey,
    context: encryptionContext.statementKey(id),
    replace: (ciphertext) =>
      db.update(statementKeys).set({ privateKey: ciphertext }).where(eq(statementKeys.id, id)),
  }))
}

async function listWishlistShares(db: Db): Promise<EncryptedRow[]> {
  const shares = await db.select().from(wishlistShares)
  return shares.map(({ userUid, token }) => ({
    ciphertext: token,
    context: encryptionContext.wishlistShare(userUid),
    replace: (ciphertext) =>
      db.update(wishlistShares).set({ token: ciphertext }).where(eq(wishlistShares.userUid, userUid)),
  }))
}

async function listAuthenticators(db: Db): Promise<EncryptedRow[]> {
  const rows = await db.select().from(authenticators)
  return rows.map(({ userUid, secret }) => ({
    ciphertext: secret,
    context: encryptionContext.authenticator(userUid),
    replace: (ciphertext) =>
      db.update(authenticators).set({ secret: ciphertext }).where(eq(authenticators.userUid, userUid)),
  }))
}

async function listBugReporters(db: Db): Promise<EncryptedRow[]> {
  const reporters = await db.select().from(bugReporters).where(isNotNull(bugReporters.signingKey))
  return reporters.map(({ gameUid, signingKey }) => ({
    ciphertext: signingKey ?? '',
    context: encryptionContext.bugSigningKey(gameUid),
    replace: (ciphertext) =>
      db.update(bugReporters).set({ signingKey: ciphertext }).where(eq(bugReporters.gameUid, gameUid)),
  }))
}

async function listLinks(db: Db): Promise<EncryptedRow[]> {
  const links = await db.select().from(extstoreLinks).where(isNotNull(extstoreLinks.authKey))
  return links.flatMap(({ gameUid, authKey, webApiKey }) => {
    const replace = (values: { authKey: string } | { webApiKey: string }) =>
      db.update(extstoreLinks).set(values).where(eq(extstoreLinks.gameUid, gameUid))
    return [
      {
        ciphertext: authKey ?? '',
        context: encryptionContext.gameAuthKey(gameUid),
        replace: (ciphertext: string) => replace({ authKey: ciphertext }),
      },
      {
        ciphertext: webApiKey ?? '',
        context: encryptionContext.webApiKey(gameUid),
        replace: (ciphertext: string) => replace({ webApiKey: ciphertext }),
      },
    ]
  })
}

export async function countStaleSecrets({ db, keyring }: { db: Db; keyring: Keyring }): Promise<number> {
  const rows = await listEncrypted(db)
  return rows.filter((row) => keyring.isStale(row.ciphertext)).length
}

/** After a change of SECRET_KEY: re-encrypts every secret that still uses the previous key. */
export async function reencryptSecrets({ db, keyring }: { db: Db; keyring: Keyring }): Promise<number> {
  const stale = (await listEncrypted(db)).filter((row) => keyring.isStale(row.ciphertext))
  for (const { ciphertext, context, replace } of stale) {
    await replace(keyring.encrypt(keyring.decrypt(ciphertext, context), context))
  }
  return stale.length
}
