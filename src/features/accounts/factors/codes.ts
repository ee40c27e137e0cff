import { randomBytes } from 'node:crypto'

import type { Transaction } from '../../../db/client.ts'
import { addLastingCount } from '../../../db/rate-counts.ts'
import { encryptionContext } from '../../../db/reencrypt.ts'
import type { Deps } from '../../../deps.ts'
import { type LimitName, LIMITS } from '../../../domain/limit-table.ts'
import { AppError, invalidField } from '../../../errors.ts'
import { sha256Hex } from '../../../lib/bytes/hash.ts'
import { encodeBase32, findStep } from '../../../lib/totp.ts'
import * as queries from './factor-queries.ts'

const RECOVERY_CODES = 10
/** 80 random bits: too many to guess from the hash. */
const TYPED_BYTES = 10

type Authenticator = NonNullable<Awaited<ReturnType<typeof queries.findAuthenticator>>>

/** Whether the app of the account made this code just now; each code counts once. */
export async function consumeCode({ db, keyring }: Deps, app: Authenticator, code: string): Promise<boolean> {
  const secret = keyring.decrypt(app.secret, encryptionContext.authenticator(app.userUid))
  const step = findStep(secret, code.replaceAll(/\s/g, ''), Date.now())
  return step !== null && (await queries.consumeStep(db, app.userUid, app.secret, step))
}

export async function consumeConfirmedCode(deps: Deps, userUid: string, code: string): Promise<boolean> {
  const app = await queries.findAuthenticator(deps.db, userUid)
  return app !== undefined && app.confirmedAt !== null && (await consumeCode(deps, app, code))
}

/** Replaces the old codes. Returns the new ones, because they cannot be read later. */
export async function replaceRecoveryCodes(tx: Transaction, userUid: string): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, createTypedCode)
  await queries.replaceRecoveryCodes(tx, userUid, codes.map(hashTypedCode))
  return codes
}

/** For codes that people type: recovery codes and invitations. */
export function createTypedCode(): string {
  const letters = encodeBase32(randomBytes(TYPED_BYTES)).toLowerCase()
  return (letters.match(/.{4}/g) ?? []).join('-')
}

/** Ignores case, spaces and hyphens. */
export function hashTypedCode(code: string): string {
  return sha256Hex(code.toLowerCase().replaceAll(/[^a-z2-7]/g, ''))
}

export interface CodeCounter {
  name: LimitName
  subject: string
}

/**
 * Counts before the code is checked, so that parallel attempts cannot all pass, and in Postgres, so that several
 * processes or a restart do not allow more of them.
 */
export async function withAttempt<Result>(
  { db }: Deps,
  counters: readonly CodeCounter[],
  check: () => Promise<Result | null>,
): Promise<Result | null> {
  const add = ({ name, subject }: CodeCounter, amount: number) =>
    addLastingCount(db, `${name}:${subject}`, LIMITS[name].windowSeconds * 1000, amount)
  for (const counter of counters) {
    const { count, resetMs } = await add(counter, 1)
    if (count > LIMITS[counter.name].max) {
      throw tooManyAttempts('code', resetMs, 'codes', 'use a passkey, or set a new password by mail')
    }
  }
  const result = await check()
  if (result !== null) for (const counter of counters) await add(counter, -1)
  return result
}

/** The error after too many wrong passwords or codes; the new one is not checked. */
export function tooManyAttempts(path: string, resetMs: number, what: string, otherwise: string): AppError {
  const seconds = Math.max(1, Math.ceil(resetMs / 1000))
  const minutes = Math.ceil(seconds / 60)
  const wait = minutes === 1 ? 'a minute' : `${minutes} minutes`
  const message = `Too many wrong ${what} for this account. Wait ${wait}, ${otherwise}.`
  return new AppError('rate_limited', {
    message,
    data: { issues: [{ path, message }] },
    headers: { 'retry-after': String(seconds) },
  })
}

export function wrongCode(): AppError {
  return invalidField('code', 'is wrong or was used before. Wait for the next code of your app.')
}
