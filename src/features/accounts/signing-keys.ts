import { createLocalJWKSet, errors, type JWTVerifyGetKey } from 'jose'

import type { Db } from '../../db/client.ts'
import { listSigningKeys } from './oauth-queries.ts'

const FRESH_MS = 60_000

/** Finds the key that signed a token. Keys are cached for a minute; an unknown key id is looked up immediately. */
export function createSigningKeys(db: Db): JWTVerifyGetKey {
  let cached: { find: JWTVerifyGetKey; readAt: number } | undefined

  async function read(): Promise<JWTVerifyGetKey> {
    const rows = await listSigningKeys(db)
    const keys = rows.map((row) => ({ ...JSON.parse(row.publicKey), kid: row.id, alg: row.alg ?? 'EdDSA' }))
    const find = createLocalJWKSet({ keys })
    cached = { find, readAt: Date.now() }
    return find
  }

  return async (header, token) => {
    if (!cached || Date.now() - cached.readAt >= FRESH_MS) return await (await read())(header, token)
    try {
      return await cached.find(header, token)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
      return await (
        await read()
      )(header, token)
    }
  }
}
