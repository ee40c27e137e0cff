import { createUid, isUid } from '../../../lib/ids.ts'
import type { Keyring } from '../../../lib/keyring.ts'

/** What a token allows: the saves of one account in one game. */
export interface SaveVisit {
  userUid: string
  gameUid: string
}

const PREFIX = 'svc_visit_'
const KIND = 'save-visit'
const LIFETIME_MS = 15 * 60 * 1000
/** Longer than any token that we sign. */
const TEXT_MAX = 300

export function signVisit(
  keyring: Keyring,
  { userUid, gameUid }: SaveVisit,
): { token: string; expiresAt: Date } {
  const expiresAt = new Date(Date.now() + LIFETIME_MS)
  const body = [createUid(), userUid, gameUid, expiresAt.getTime()].join('.')
  return { token: `${PREFIX}${body}.${keyring.sign(`${KIND}:${body}`)}`, expiresAt }
}

/** Null for what we did not sign, and for what has expired. */
export function parseVisit(keyring: Keyring, token: string): SaveVisit | null {
  if (!token.startsWith(PREFIX) || token.length > TEXT_MAX) return null
  const end = token.lastIndexOf('.')
  const body = token.slice(PREFIX.length, Math.max(PREFIX.length, end))
  const [, userUid = '', gameUid = '', expires = ''] = body.split('.')
  if (!isUid(userUid) || !isUid(gameUid) || !(Number(expires) > Date.now())) return null
  return keyring.verify(`${KIND}:${body}`, token.slice(end + 1)) ? { userUid, gameUid } : null
}

/** How the tokens of visits are looked up. */
export function saveVisitSource(keyring: Keyring) {
  return { findSaveVisit: (token: string) => parseVisit(keyring, token) }
}
