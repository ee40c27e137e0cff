import { BoundedCache } from '../../../lib/cache/bounded-cache.ts'
import type { Keyring } from '../../../lib/keyring.ts'
import { type Pass, readPass, signPass } from './passes.ts'

/** Visits whose cookie need not be verified again. */
const KNOWN_MAX = 10_000
/** A browser sends only few; a long header of wrong ones costs no more. */
const TRIED_MAX = 4

export interface Pins {
  /** The build that this visit is pinned to; null for a new visit. */
  read(cookies: string | null, gameUid: string): Pass | null
  /** The value of `Set-Cookie`. */
  write(choice: Pick<Pass, 'gameUid' | 'channel' | 'buildUid' | 'userUid'>): string
}

export function createPins(keyring: Keyring, isSecure: boolean): Pins {
  // Browsers accept the prefix only over https; it stops other games from setting the cookie for a shared domain.
  const name = isSecure ? '__Host-play' : 'play'
  const known = new BoundedCache<Pass>({ maxEntries: KNOWN_MAX })

  function verify(text: string, gameUid: string): Pass | null {
    const seen = known.get(text)
    if (seen?.gameUid === gameUid && seen.expiresAt.getTime() > Date.now()) return seen
    const pass = readPass(keyring, 'play-pin', text, gameUid)
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
