import { createLocalJWKSet, errors, type JWTVerifyGetKey } from 'jose'

import type { Db } from '../../../db/client.ts'
import { memoize } from '../../../lib/flow/memoize.ts'
import { listSigningKeys } from './oauth-queries.ts'

const FRESH_MS = 60_000

/** Finds the key that signed a token. Keys are cached for a minute; an unknown key id is looked up immediately. */
export function createSigningKeys(db: Db): JWTVerifyGetKey {
  const readKeys = memoize(FRESH_MS, async () => {
    const rows = await listSigningKeys(db)
    const keys = rows.map((row) => ({ ...JSON.parse(row.publicKey), kid: row.id, alg: row.alg ?? 'EdDSA' }))
    return createLocalJWKSet({ keys })
  })

  return async (header, token) => {
    const find = await readKeys()
    try {
      return await find(header, token)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
      const findAgain = await readKeys.refresh()
      return await findAgain(header, token)
    }
  }
}
