import { encryptionContext } from '../../../db/reencrypt.ts'
import { sha256Hex } from '../../../lib/hash.ts'
import type { Keyring } from '../../../lib/keyring.ts'

const KEPT = 10_000

/** An auth key as the database keeps it, opened. */
export interface GameKey {
  gameUid: string
  keyHash: string
  /** What tokens are signed with, as it is shown. */
  authKey: string
}

export interface GameKeys {
  open(gameUid: string, sealed: string): GameKey
  /** The one that was decrypted last for this game; it may have been replaced since. */
  recall(gameUid: string): GameKey | null
}

/** Opening a key costs as much as checking a token with it, so each game's last one is kept. */
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
