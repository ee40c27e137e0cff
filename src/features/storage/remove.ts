import { ensureInstallation } from '../../clients/object-store/storage-owner.ts'
import type { Deps } from '../../deps.ts'
import { variantKeysOf } from '../../domain/listings/image-variants.ts'
import type { StoredObjects } from './jobs.ts'
import * as queries from './queries.ts'
import { lockObject } from './shared-queries.ts'

type Services = Pick<Deps, 'db' | 'store'>

/** Identical images share one object. Every other object has one row and is deleted with it. */
const SHARED_PREFIX = 'images/'

/** Deletes the objects of deleted rows. Idempotent. Throws if the store belongs to another installation. */
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

/** Returns whether it was deleted: a shared object stays while a row refers to it. */
export async function removeObject(deps: Services, key: string): Promise<boolean> {
  if (key.startsWith(SHARED_PREFIX)) return await removeShared(deps, key)
  await deps.store.delete(key)
  return true
}

/** Holds the lock that anyone who refers to the object takes before checking that it exists. */
async function removeShared({ db, store }: Services, key: string): Promise<boolean> {
  return await db.transaction(async (tx) => {
    await lockObject(tx, key)
    if ((await queries.listNamedKeys(tx, [key])).size > 0) return false
    for (const each of [...variantKeysOf(key), key]) await store.delete(each)
    return true
  })
}
