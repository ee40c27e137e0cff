import type { Deps } from '../../deps.ts'
import type { WebsiteUser } from '../../domain/actor.ts'
import { CONFIRMED_MS } from '../../domain/confirmation.ts'
import { AppError, invalidField } from '../../errors.ts'
import { forgetAccount } from './account-cache.ts'
import { consumeConfirmedCode, withAttempt, wrongCode } from './factors/codes.ts'
import type { Confirmation, Proof } from './model.ts'
import { hasPassword, setConfirmed } from './queries.ts'

/** Throws when it is not the password of the signed-in account. */
type CheckPassword = (password: string) => Promise<unknown>

/** Confirms with the password or a code of the app; with a passkey people sign in again instead. */
export async function confirmSession(
  deps: Deps,
  user: WebsiteUser,
  { password, code }: Proof,
  checkPassword: CheckPassword,
): Promise<Confirmation> {
  if ((password === undefined) === (code === undefined))
    throw invalidField('', 'must have either password or code.')
  if (password !== undefined) await checkPassword(password)
  else await checkCode(deps, user, code ?? '')
  const at = await markConfirmed(deps, user)
  return { confirmed_until: new Date(at.getTime() + CONFIRMED_MS).toISOString() }
}

async function checkCode(deps: Deps, { userUid, sessionUid }: WebsiteUser, code: string): Promise<void> {
  const counter = { name: 'wrong_codes_signed_in', subject: sessionUid } as const
  const check = async () => (await consumeConfirmedCode(deps, userUid, code)) || null
  if (!(await withAttempt(deps, [counter], check))) throw wrongCode()
}

/** Call once the person has proved who they are in this session. */
export async function markConfirmed(
  deps: Deps,
  { userUid, sessionUid }: Pick<WebsiteUser, 'userUid' | 'sessionUid'>,
): Promise<Date> {
  const at = new Date()
  await deps.db.transaction(async (tx) => {
    if (!(await setConfirmed(tx, sessionUid, at))) throw new AppError('unauthorized')
    await forgetAccount(deps, tx, userUid)
  })
  return at
}

/** Whether the account can confirm with a password: those that sign in by others have none. */
export async function usesPassword(
  { db, config }: Pick<Deps, 'db' | 'config'>,
  userUid: string,
): Promise<boolean> {
  return config.passwordSignIn && (await hasPassword(db, userUid))
}
