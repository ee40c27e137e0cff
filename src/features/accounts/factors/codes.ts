import { randomBytes } from 'node:crypto'

import type { Transaction } from '../../../db/client.ts'
import { encryptionContext } from '../../../db/reencrypt.ts'
import type { Deps } from '../../../deps.ts'
import { sha256Hex } from '../../../lib/bytes/hash.ts'
import { encodeBase32, findStep } from '../../../lib/totp.ts'
import * as queries from './factor-queries.ts'

export const RECOVERY_CODES = 10
/** 80 random bits: too many to guess from the hash. */
const RECOVERY_BYTES = 10

type Authenticator = NonNullable<Awaited<ReturnType<typeof queries.findAuthenticator>>>

/** Whether the app of the account made this code just now; each code counts once. */
export async function takeCode({ db, keyring }: Deps, app: Authenticator, code: string): Promise<boolean> {
  const secret = keyring.decrypt(app.secret, encryptionContext.authenticator(app.userUid))
  const step = findStep(secret, code.replaceAll(/\s/g, ''), Date.now())
  return step !== null && (await queries.takeStep(db, app.userUid, app.secret, step))
}

export async function takeConfirmedCode(deps: Deps, userUid: string, code: string): Promise<boolean> {
  const app = await queries.findAuthenticator(deps.db, userUid)
  return app !== undefined && app.confirmedAt !== null && (await takeCode(deps, app, code))
}

/** Replaces those there were. Returns them, because they cannot be read later. */
export async function makeRecoveryCodes(tx: Transaction, userUid: string): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, createRecoveryCode)
  await queries.replaceRecoveryCodes(tx, userUid, codes.map(hashRecoveryCode))
  return codes
}

function createRecoveryCode(): string {
  const letters = encodeBase32(randomBytes(RECOVERY_BYTES)).toLowerCase()
  return (letters.match(/.{4}/g) ?? []).join('-')
}

/** However it was typed. */
export function hashRecoveryCode(code: string): string {
  return sha256Hex(code.toLowerCase().replaceAll(/[^a-z2-7]/g, ''))
}
