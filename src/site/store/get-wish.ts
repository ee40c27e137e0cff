import type { Keyring } from '../../lib/keyring.ts'
import { getPath } from '../kit/next.ts'

/** Long enough to make an account, also at a provider. */
const WISH_SECONDS = 3600
const COOKIE = 'get'
/** A browser sends one; a long header of wrong ones costs no more. */
const TRIED_MAX = 4

export type Wishes = ReturnType<typeof createWishes>

/**
 * That somebody pressed Get before they were signed in: a signed cookie of their browser, which only the address that
 * finishes it receives. Opening that address without it gives nothing, so that no link puts a game into a library.
 */
export function createWishes(keyring: Keyring, isSecure: boolean) {
  const cookie = (value: string, vanityName: string, seconds: number) =>
    `${COOKIE}=${value}; Path=${getPath(vanityName)}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
  const message = (gameUid: string, until: string) => `get ${gameUid} ${until}`

  return {
    /** The value of `Set-Cookie`. */
    write({ uid, vanityName }: { uid: string; vanityName: string }): string {
      const until = String(Date.now() + WISH_SECONDS * 1000)
      return cookie(`${until}.${keyring.sign(message(uid, until))}`, vanityName, WISH_SECONDS)
    },

    end: ({ vanityName }: { vanityName: string }): string => cookie('', vanityName, 0),

    isWished(cookies: string | null, gameUid: string): boolean {
      const values = (cookies ?? '').split(';').flatMap((text) => {
        const [name, value = ''] = text.trim().split('=', 2)
        return name === COOKIE ? [value] : []
      })
      return values.slice(0, TRIED_MAX).some((value) => {
        const [until = '', signature = ''] = value.split('.')
        return Number(until) > Date.now() && keyring.verify(message(gameUid, until), signature)
      })
    },
  }
}
