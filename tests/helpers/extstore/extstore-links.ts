import type { Db } from '../../../src/db/client.ts'
import { encryptionContext } from '../../../src/db/reencrypt.ts'
import { extstoreLinks } from '../../../src/db/schema/extstore.ts'
import type { Keyring } from '../../../src/lib/keyring.ts'

export interface TestLink {
  gameUid: string
  appId: number
  authKey: string
  ticketKey: string
  webApiKey: string
}

let nextAppId = 1_000_000

/** A listing linked to an app of the external store, with sign-in on. */
export async function insertLink(
  { db, keyring }: { db: Db; keyring: Keyring },
  gameUid: string,
  values: Partial<Omit<TestLink, 'gameUid'>> = {},
): Promise<TestLink> {
  nextAppId += 1
  const link = {
    gameUid,
    appId: nextAppId,
    authKey: randomHex(128),
    ticketKey: `svc_${randomHex(32)}`,
    webApiKey: randomHex(32).toUpperCase(),
    ...values,
  }
  await db.insert(extstoreLinks).values({
    ...link,
    authKey: keyring.encrypt(link.authKey, encryptionContext.gameAuthKey(gameUid)),
    webApiKey: keyring.encrypt(link.webApiKey, encryptionContext.webApiKey(gameUid)),
  })
  return link
}

function randomHex(length: number): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(length / 2))).toString('hex')
}
