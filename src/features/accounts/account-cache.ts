import type { Db } from '../../db/client.ts'
import { announce, invalidateOn } from '../../db/notify/notify.ts'
import type { Deps } from '../../deps.ts'
import type { Player, WebsiteUser } from '../../domain/actor.ts'
import { type Cache, createCache } from '../../lib/cache/cache.ts'

interface CachedPlayer extends Player {
  keyUid: string
}

export interface CachedUser extends WebsiteUser {
  expiresAt: Date
}

/** The actors of player keys and sessions, by the hash of what the client sent. */
export type AccountCache = Cache<CachedPlayer | CachedUser>

const CHANNEL = 'accounts'
const MAX_ENTRIES = 20_000
/** The age at which a session is read again, so that the library can extend it. */
const LIFETIME_MS = 60_000

export async function createAccountCache({ database }: Deps): Promise<AccountCache> {
  const cache = createCache<CachedPlayer | CachedUser>({
    maxEntries: MAX_ENTRIES,
    lifetimeMs: LIFETIME_MS,
    isTrusted: () => database.isListening(),
    originOf: ({ userUid }) => ({ owners: [userUid] }),
  })
  await invalidateOn(database, CHANNEL, cache)
  return cache
}

/** Calls back with the account after every change of it; `onGap` when changes may have been missed. */
export async function watchAccounts(
  { database }: Deps,
  onChange: (userUid: string) => void,
  onGap: () => void,
): Promise<void> {
  await database.listen(CHANNEL, onChange, onGap)
}

/**
 * Call with the transaction of every change to an account, its sessions or its player keys: once it commits, no
 * process uses what it has cached about the account.
 */
export async function forgetAccount({ database }: Deps, tx: Db, userUid: string): Promise<void> {
  await announce(database, tx, CHANNEL, userUid)
}
