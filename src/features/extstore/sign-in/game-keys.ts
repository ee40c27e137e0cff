import { encryptionContext } from '../../../db/reencrypt.ts'
import { sha256Hex } from '../../../lib/hash.ts'
import type { Keyring } from '../../../lib/keyring.ts'

const KEPT = 10_000

/** A decrypted auth key with its stored form. */
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

/** Decrypting a key costs as much as verifying a token with it, so the last key of each game is cached. */
export function createGameKeys(keyring: Keyring): GameKeys {
  const kept = new Map<string, GameKey & { sealed: string }>()
  return {
    open(gameUid, sealed) {
      const known = kept.get(gameUid)
      if (known?.sealed === sealed) return known
      const authKey = keyring.decrypt(sealed, encryptionContext.gameAuthKey(gameUid))
      const key = { gameUid, sealed, keyHash: sha256Hex(authKey), authKey }
      if (kept.size >= KEPT) kept.clear()
      kept.set(gameUid, key)
      return key
    },
    recall: (gameUid) => kept.get(gameUid) ?? null,
  }
}
