import type { Claims } from './model.ts'
import { readToken, type TokenHome } from './tokens.ts'

const KEPT = 10_000

export type TokenReader = (key: CryptoKey, token: string, home: TokenHome) => Promise<Claims | null>

/**
 * Servers ask about the same token again and again, to hear of its revocation. What it says and who signed it never
 * changes, so a genuine one is read once. A key belongs to one game, so the key it was read with decides.
 */
export function createTokenReader(): TokenReader {
  const kept = new Map<string, { key: CryptoKey; claims: Claims }>()
  return async (key, token, home) => {
    const known = kept.get(token)
    if (known?.key === key) return known.claims
    const claims = await readToken(key, token, home)
    if (claims) {
      if (kept.size >= KEPT) kept.clear()
      kept.set(token, { key, claims })
    }
    return claims
  }
}
