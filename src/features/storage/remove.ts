import { ensureInstallation } from '../../db/storage-owner.ts'
import type { Deps } from '../../deps.ts'
import type { StoredObjects } from './jobs.ts'
import * as queries from './queries.ts'
import { lockObject } from './shared-queries.ts'

type Services = Pick<Deps, 'db' | 'store'>

/** Equal pictures share one object. All other objects have one row and go with it. */
const SHARED_PREFIX = 'images/'

/** Deletes what rows named that are gone; may be repeated. Throws in a store of another installation. */
export async function removeObjects(
  deps: Services,
  { keys, uploads = [] }: StoredObjects,
  signal?: AbortSignal,
): Promise<void> {
  await ensureInstallation(deps)
  for (const key of keys) {
    signal?.throwIfAborted()
    await removeObject(deps, key)
  }
  for (const upload of uploads) {
    signal?.throwIfAborted()
    await deps.store.abortUpload(upload)
  }
}

/** Returns whether it is gone: a shared object stays while a row names it. */
export async function removeObject(deps: Services, key: string): Promise<boolean> {
  if (key.startsWith(SHARED_PREFIX)) return await removeShared(deps, key)
  await deps.store.delete(key)
  return true
}

/** Under the lock that whoever names the object takes before making sure that it exists. */
async function removeShared({ db, store }: Services, key: string): Promise<boolean> {
  return await db.transaction(async (tx) => {
    await lockObject(tx, key)
    if ((await queries.listNamedKeys(tx, [key])).size > 0) return false
    await store.delete(key)
    return true
  })
}
