import { isChannel } from '../../../domain/builds/channels.ts'
import { createUid, isUid } from '../../../lib/ids.ts'
import type { Keyring } from '../../../lib/keyring.ts'
import type { Choice } from './model.ts'

/** A choice with its build, signed by us. */
export interface Pass extends Choice {
  /** Of a ticket: what makes it usable once. */
  uid: string
  buildUid: string
  expiresAt: Date
}

type Kind = 'play-ticket' | 'play-pin'

/** A ticket opens a play origin once; the pin that it becomes is a cookie of that origin. */
const LIFETIMES_MS: Readonly<Record<Kind, number>> = {
  'play-ticket': 60_000,
  'play-pin': 12 * 60 * 60 * 1000,
}
/** Longer than any that we sign. */
const TEXT_MAX = 300

export function signPass(
  keyring: Keyring,
  kind: Kind,
  { gameUid, channel, buildUid, userUid }: Omit<Pass, 'uid' | 'expiresAt'>,
): { text: string; expiresAt: Date } {
  const expiresAt = new Date(Date.now() + LIFETIMES_MS[kind])
  const body = [createUid(), gameUid, channel, buildUid, userUid ?? '', expiresAt.getTime()].join('.')
  return { text: `${body}.${keyring.sign(`${kind}:${body}`)}`, expiresAt }
}

/** Null for what we did not sign for this game, and for what has expired. */
export function readPass(keyring: Keyring, kind: Kind, text: string, gameUid: string): Pass | null {
  if (text.length > TEXT_MAX) return null
  const end = text.lastIndexOf('.')
  const body = text.slice(0, Math.max(0, end))
  const [uid = '', game = '', channel = '', buildUid = '', userUid = '', expires = ''] = body.split('.')
  if (game !== gameUid || !isUid(uid) || !isUid(buildUid) || !isChannel(channel)) return null
  if (!(Number(expires) > Date.now()) || !keyring.verify(`${kind}:${body}`, text.slice(end + 1))) return null
  return { uid, gameUid, channel, buildUid, userUid: userUid || null, expiresAt: new Date(Number(expires)) }
}
