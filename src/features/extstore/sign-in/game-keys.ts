import { encryptionContext } from '../../../db/reencrypt.ts'
import { sha256Hex } from '../../../lib/bytes/hash.ts'
import { BoundedCache } from '../../../lib/cache/bounded-cache.ts'
import type { Keyring } from '../../../lib/keyring.ts'

const MAX_KEYS = 10_000

/** The decrypted auth key of a game. */
export interface GameKey {
  gameUid: string
  keyHash: string
  /** The key that signs tokens, as it is shown. */
  authKey: string
}

export interface GameKeys {
  open(gameUid: string, sealed: string): GameKey
  /** The key that was last decrypted for this game; it may have been replaced since. */
  recall(gameUid: string): GameKey | null
}

/** Opening a key costs as much as checking a token with it, so each game's last one is cached. */
export function createGameKeys(keyring: Keyring): GameKeys {
  const cached = new BoundedCache<GameKey & { sealed: string }>({ maxEntries: MAX_KEYS })
  return {
    open(gameUid, sealed) {
      const known = cached.get(gameUid)
      if (known?.sealed === sealed) return known
      const authKey = keyring.decrypt(sealed, encryptionContext.gameAuthKey(gameUid))
      const key = { gameUid, sealed, keyHash: sha256Hex(authKey), authKey }
      cached.set(gameUid, key)
      return key
    },
    recall: (gameUid) => cached.get(gameUid) ?? null,
  }
}
