import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { CONFIRMED_MS } from '../../../domain/confirmation.ts'
import { invalidField } from '../../../errors.ts'
import { withAttempt } from '../factors/code-attempts.ts'
import { takeConfirmedCode } from '../factors/codes.ts'
import type { Confirmation, Proof } from '../factors/factor-model.ts'
import { wrongCode } from '../factors/factors.ts'
import type { Browser, WebsiteAuth } from '../sign-in/website.ts'
import { markConfirmed } from './mark-confirmed.ts'

/** The password or a code of the app; a passkey signs in again instead. */
export async function confirmSession(
  deps: Deps,
  website: WebsiteAuth,
  user: WebsiteUser,
  browser: Browser,
  { password, code }: Proof,
): Promise<Confirmation> {
  if ((password === undefined) === (code === undefined))
    throw invalidField('', 'must have either password or code.')
  if (password !== undefined) await website.verifyPassword(browser, password)
  else await requireCode(deps, user, code ?? '')
  const at = await markConfirmed(deps, user)
  return { confirmed_until: new Date(at.getTime() + CONFIRMED_MS).toISOString() }
}

async function requireCode(deps: Deps, { userUid, sessionUid }: WebsiteUser, code: string): Promise<void> {
  const counter = { name: 'wrong_codes_signed_in', subject: sessionUid } as const
  const check = async () => (await takeConfirmedCode(deps, userUid, code)) || null
  if (!(await withAttempt(deps, [counter], check))) throw wrongCode()
}
