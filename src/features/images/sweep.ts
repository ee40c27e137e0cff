import type { Deps } from '../../deps.ts'
import { inBatches } from '../../lib/batches.ts'
import { IMAGE_PREFIX } from './objects.ts'
import * as queries from './queries.ts'

const BATCH = 500

/** Pictures of replaced and deleted images, of deleted pages, and of uploads that failed half-way. */
export async function sweepObjects(deps: Deps, writtenBefore: Date, signal: AbortSignal): Promise<number> {
  let removed = 0
  for await (const batch of inBatches(deps.store.list(IMAGE_PREFIX), BATCH)) {
    const old = batch.filter(({ modifiedAt }) => modifiedAt < writtenBefore).map(({ key }) => key)
    const named = await queries.listNamedKeys(deps.db, old)
    for (const key of old) {
      signal.throwIfAborted()
      if (!named.has(key) && (await removeUnnamed(deps, key, writtenBefore))) removed += 1
    }
  }
  return removed
}

/** Asked again under the lock: the same picture may just be uploaded anew. */
async function removeUnnamed(deps: Deps, key: string, writtenBefore: Date): Promise<boolean> {
  return await deps.db.transaction(async (tx) => {
    await queries.lockObject(tx, key)
    if ((await queries.listNamedKeys(tx, [key])).size > 0) return false
    const found = await deps.store.head(key)
    if (!found || found.modifiedAt >= writtenBefore) return false
    await deps.store.delete(key)
    return true
  })
}
