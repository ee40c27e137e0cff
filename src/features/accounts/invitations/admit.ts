import { APIError } from 'better-auth/api'

import type { Db } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import { loadSettings } from '../../settings/service.ts'
import { isOperator } from '../operators.ts'
import { findUser } from '../queries.ts'
import { hashInvitation } from './codes.ts'
import { takeInvitation } from './queries.ts'
import { INVITATION_COOKIE, INVITATION_NEEDED, SIGN_UP_CLOSED } from './refusals.ts'

interface NewAccount {
  email: string
  code: string
}

/**
 * Runs in the transaction that adds the account, whichever way it signs up, so that a use counts only if it does. Those
 * whom OPERATORS names are let in always: whoever starts the server decides that.
 */
export async function admitNewAccount(deps: Deps, tx: Db, { email, code }: NewAccount): Promise<void> {
  const { settings } = await loadSettings(deps, tx)
  const address = email.toLowerCase()
  if (settings.sign_up === 'open' || deps.config.operators.includes(address)) return
  const invitation =
    code === '' ? undefined : await takeInvitation(tx, hashInvitation(code), address, new Date())
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

/** Whoever made it must still run the store. */
async function mayInvite({ config }: Deps, tx: Db, createdBy: string | null): Promise<boolean> {
  if (createdBy === null) return true
  const maker = await findUser(tx, createdBy)
  return maker !== undefined && maker.suspendedAt === null && isOperator(config, maker)
}

/** From the form, or from the cookie of a sign-in by others. */
export function readInvitation(body: unknown, headers: Headers | undefined): string {
  const sent = typeof body === 'object' && body !== null ? Reflect.get(body, 'invite') : undefined
  if (typeof sent === 'string') return sent
  return new Bun.CookieMap(headers?.get('cookie') ?? '').get(INVITATION_COOKIE) ?? ''
}
