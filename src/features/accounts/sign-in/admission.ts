import { APIError } from 'better-auth/api'

import type { Db } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import { loadSettings } from '../../settings/service.ts'
import { hashTypedCode } from '../factors/codes.ts'
import { consumeInvitation } from '../invitations/queries.ts'
import { isOperator } from '../operators.ts'
import { findUser, isEmailTaken, isSuspended, lockName } from '../queries.ts'
import { ACCOUNT_SUSPENDED, SUSPENDED_MESSAGE } from '../suspension.ts'
import { INVITATION_COOKIE, INVITATION_NEEDED, SIGN_UP_CLOSED } from './auth-settings.ts'

interface NewAccount {
  email: string
  code: string
}

/**
 * Runs in the transaction that adds the account, for every way to sign up, so that an invitation is only used
 * up if the account is added. Addresses in OPERATORS are always admitted.
 */
export async function admitNewAccount(deps: Deps, tx: Db, { email, code }: NewAccount): Promise<void> {
  const { settings } = await loadSettings(deps, tx)
  const address = email.toLowerCase()
  if (settings.sign_up === 'open' || deps.config.operators.includes(address)) return
  const invitation =
    code === '' ? undefined : await consumeInvitation(tx, hashTypedCode(code), address, new Date())
  const isFor = invitation && (settings.sign_up === 'invite' || invitation.email !== null)
  if (isFor && (await mayInvite(deps, tx, invitation.createdBy))) return
  if (settings.sign_up === 'closed' && code === '') {
    throw new APIError('FORBIDDEN', {
      code: SIGN_UP_CLOSED,
      message: 'This store adds accounts itself. Ask the people who run it for one.',
    })
  }
  throw new APIError('FORBIDDEN', {
    code: INVITATION_NEEDED,
    message:
      code === ''
        ? 'You need an invitation code of this store to create an account.'
        : 'This invitation code is unknown, used up, too old or meant for another address. Ask for a new one.',
  })
}

/** The person who created the invitation must still be an operator. */
async function mayInvite({ config }: Deps, tx: Db, createdBy: string | null): Promise<boolean> {
  if (createdBy === null) return true
  const maker = await findUser(tx, createdBy)
  return maker !== undefined && maker.suspendedAt === null && isOperator(config, maker)
}

/** From the form, or from the cookie of a sign-in with a provider. */
export function parseInvitation(body: unknown, headers: Headers | undefined): string {
  const sent = typeof body === 'object' && body !== null ? Reflect.get(body, 'invite') : undefined
  if (typeof sent === 'string') return sent
  return new Bun.CookieMap(headers?.get('cookie') ?? '').get(INVITATION_COOKIE) ?? ''
}

/** Repeats the library's check, which runs before the password is hashed and so misses parallel sign-ups. */
export async function refuseTakenEmail(tx: Db, email: string): Promise<void> {
  await lockName(tx, 'email', email)
  if (!(await isEmailTaken(tx, email))) return
  throw new APIError('UNPROCESSABLE_ENTITY', {
    message: 'User already exists. Use another email.',
    code: 'USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL',
  })
}

/** Runs after the password was checked, so that only the owner learns of the suspension. */
export async function refuseSuspended(db: Db, userUid: string): Promise<void> {
  if (!(await isSuspended(db, userUid))) return
  throw new APIError('FORBIDDEN', { code: ACCOUNT_SUSPENDED, message: SUSPENDED_MESSAGE })
}
