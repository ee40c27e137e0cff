import type { WebsiteUser } from '../../../domain/actor.ts'
import type { Keyring } from '../../../lib/keyring.ts'

const LIFETIME_MS = 10 * 60 * 1000

type Signer = Pick<Keyring, 'sign' | 'verify'>
type Session = Pick<WebsiteUser, 'userUid' | 'sessionUid'>

/** Sent to the store and returned with its response: proves which session started the sign-in, and when. */
export function createState(keyring: Signer, user: Session, now: number): string {
  const until = String(now + LIFETIME_MS)
  return `${until}.${keyring.sign(messageOf(user, until))}`
}

export function isStateOf(keyring: Signer, user: Session, state: string, now: number): boolean {
  const [until = '', signature = ''] = state.split('.')
  return keyring.verify(messageOf(user, until), signature) && Number(until) > now
}

function messageOf({ userUid, sessionUid }: Session, until: string): string {
  return `extstore sign-in ${userUid} ${sessionUid} ${until}`
}
