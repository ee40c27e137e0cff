import { isChannel } from '../../../domain/builds/channels.ts'
import { BoundedCache } from '../../../lib/cache/bounded-cache.ts'
import { createUid, isUid } from '../../../lib/ids.ts'
import type { Keyring } from '../../../lib/keyring.ts'
import type { Choice } from './model.ts'

/** A choice with its build, signed by us. */
export interface Pass extends Choice {
  /** Makes a ticket usable only once. */
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
/** Longer than any pass that we sign. */
const TEXT_MAX = 340
/** How many verified cookies are remembered. */
const KNOWN_MAX = 10_000
/**
 * Browsers send only few cookies of this name; the bound limits the cost of a header full of invalid ones.
 */
const TRIED_MAX = 4

export function signPass(
  keyring: Keyring,
  kind: Kind,
  { gameUid, channel, buildUid, userUid, jam }: Omit<Pass, 'uid' | 'expiresAt'>,
): { text: string; expiresAt: Date } {
  const expiresAt = new Date(Date.now() + LIFETIMES_MS[kind])
  const parts = [createUid(), gameUid, channel, buildUid, userUid ?? '', expiresAt.getTime(), jam ?? '']
  const body = parts.join('.')
  return { text: `${body}.${keyring.sign(`${kind}:${body}`)}`, expiresAt }
}

/** Null for what we did not sign for this game, and for what has expired. */
export function parsePass(keyring: Keyring, kind: Kind, text: string, gameUid: string): Pass | null {
  if (text.length > TEXT_MAX) return null
  const end = text.lastIndexOf('.')
  const body = text.slice(0, Math.max(0, end))
  const [uid = '', game = '', channel = '', buildUid = '', userUid = '', expires = '', jam = ''] =
    body.split('.')
  if (game !== gameUid || !isUid(uid) || !isUid(buildUid) || !isChannel(channel)) return null
  if (!(Number(expires) > Date.now()) || !keyring.verify(`${kind}:${body}`, text.slice(end + 1))) return null
  const expiresAt = new Date(Number(expires))
  return { uid, gameUid, channel, buildUid, userUid: userUid || null, jam: jam || null, expiresAt }
}

export interface Pins {
  /** The build that this visit is pinned to; null for a new visit. */
  read(cookies: string | null, gameUid: string): Pass | null
  /** The value of `Set-Cookie`. */
  write(choice: Pick<Pass, 'gameUid' | 'channel' | 'buildUid' | 'userUid' | 'jam'>): string
}

export function createPins(keyring: Keyring, isSecure: boolean): Pins {
  // Browsers accept the prefix only over https; it stops other games from setting the cookie for a shared domain.
  const name = isSecure ? '__Host-play' : 'play'
  const known = new BoundedCache<Pass>({ maxEntries: KNOWN_MAX })

  function verify(text: string, gameUid: string): Pass | null {
    const seen = known.get(text)
    if (seen?.gameUid === gameUid && seen.expiresAt.getTime() > Date.now()) return seen
    const pass = parsePass(keyring, 'play-pin', text, gameUid)
    if (pass) known.set(text, pass)
    return pass
  }

  return {
    read(cookies, gameUid) {
      if (cookies === null || !cookies.includes(`${name}=`)) return null
      const texts = cookies.split(';').flatMap((cookie) => {
        const [key, value] = cookie.trim().split('=', 2)
        return key === name && value !== undefined ? [value] : []
      })
      for (const text of texts.slice(0, TRIED_MAX)) {
        const pass = verify(text, gameUid)
        if (pass) return pass
      }
      return null
    },
    write(choice) {
      const { text, expiresAt } = signPass(keyring, 'play-pin', choice)
      const seconds = Math.round((expiresAt.getTime() - Date.now()) / 1000)
      return `${name}=${text}; Path=/; Max-Age=${seconds}; HttpOnly; Secure; SameSite=None; Partitioned`
    },
  }
}
