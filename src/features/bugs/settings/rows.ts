import { randomBytes } from 'node:crypto'

import type { Db, Transaction } from '../../../db/client.ts'
import { encryptionContext } from '../../../db/reencrypt.ts'
import type { Deps } from '../../../deps.ts'
import { DAILY_CAP_DEFAULT } from '../../../domain/bugs.ts'
import * as queries from './queries.ts'

export type Reporter = queries.ReporterRow

/** The settings as stored, with the defaults where there are none. */
export async function readReporter(db: Db, gameUid: string): Promise<Reporter> {
  return (await queries.findReporter(db, gameUid)) ?? defaultsOf(gameUid)
}

/** The same, unchanged until the transaction ends. */
export async function lockReporter(tx: Transaction, gameUid: string): Promise<Reporter> {
  return (await queries.lockReporter(tx, gameUid)) ?? defaultsOf(gameUid)
}

/** null until the reporter is first used. */
export function openSigningKey(
  { keyring }: Pick<Deps, 'keyring'>,
  { gameUid, signingKey }: Pick<Reporter, 'gameUid' | 'signingKey'>,
): string | null {
  return signingKey === null ? null : keyring.decrypt(signingKey, encryptionContext.bugSigningKey(gameUid))
}

/** A new key as it is stored. */
export function sealNewKey({ keyring }: Pick<Deps, 'keyring'>, gameUid: string): string {
  return keyring.encrypt(randomBytes(32).toString('hex'), encryptionContext.bugSigningKey(gameUid))
}

function defaultsOf(gameUid: string): Reporter {
  return { gameUid, enabled: false, dailyCap: DAILY_CAP_DEFAULT, webhookUrls: [], signingKey: null }
}
