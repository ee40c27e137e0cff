import { isUniqueViolation } from '../../../db/errors.ts'
import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { AppError } from '../../../errors.ts'
import type { Keyring } from '../../../lib/keyring.ts'
import { askExtstore } from '../link/service.ts'
import type { LinkedAccount, SignInStart } from './model.ts'
import * as queries from './queries.ts'

const CALLBACK_PATH = '/api/v1/private/me/extstore/callback'
const LIFETIME_MS = 10 * 60 * 1000

export function startLinking(deps: Deps, user: WebsiteUser): SignInStart {
  const state = createState(deps.keyring, user, Date.now())
  const returnTo = returnAddress(deps, state)
  return { url: deps.extStore.openid.signInUrl({ returnTo, realm: deps.config.baseUrl }) }
}

/** `sent` is the store's response as the browser delivered it; nothing in it is verified. */
export async function finishLinking(
  deps: Deps,
  user: WebsiteUser,
  sent: URLSearchParams,
): Promise<LinkedAccount> {
  const state = sent.get('state') ?? ''
  if (!isStateOf(deps.keyring, user, state, Date.now())) {
    throw new AppError('invalid_request', {
      message: 'This sign-in was started in another session, or more than 10 minutes ago. Start again.',
    })
  }
  if (sent.get('openid.mode') === 'cancel') {
    throw new AppError('invalid_request', { message: 'The sign-in was cancelled. Nothing has changed.' })
  }
  const claim = await askExtstore(() => deps.extStore.openid.confirm(sent, returnAddress(deps, state)))
  if (!claim || !(await queries.consumeNonce(deps.db, claim.nonce))) {
    throw new AppError('forbidden', {
      message: 'The external store did not confirm this sign-in, or it was already used. Start again.',
    })
  }
  await link(deps, user, claim.extstoreId)
  return { extstore_id: claim.extstoreId }
}

async function link(deps: Deps, user: WebsiteUser, extstoreId: string): Promise<void> {
  try {
    await queries.setExtstoreId(deps.db, user.userUid, extstoreId)
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    throw new AppError('taken', {
      message: `The external account ${extstoreId} is linked to another user. Unlink it there first.`,
    })
  }
}

export async function unlinkAccount(deps: Deps, user: WebsiteUser): Promise<void> {
  await queries.setExtstoreId(deps.db, user.userUid, null)
}

function returnAddress(deps: Deps, state: string): string {
  return `${deps.config.baseUrl}${CALLBACK_PATH}?state=${state}`
}

type Signer = Pick<Keyring, 'sign' | 'verify'>
type Session = Pick<WebsiteUser, 'userUid' | 'sessionUid'>

/** Sent to the store and returned with its response: proves which session started the sign-in, and when. */
export function createState(keyring: Signer, user: Session, now: number): string {
  const until = String(now + LIFETIME_MS)
  return `${until}.${keyring.sign(messageOf(user, until))}`
}

function isStateOf(keyring: Signer, user: Session, state: string, now: number): boolean {
  const [until = '', signature = ''] = state.split('.')
  return keyring.verify(messageOf(user, until), signature) && Number(until) > now
}

function messageOf({ userUid, sessionUid }: Session, until: string): string {
  return `extstore sign-in ${userUid} ${sessionUid} ${until}`
}
