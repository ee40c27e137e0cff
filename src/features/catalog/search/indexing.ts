import { lockIndex } from '../../../clients/search/postgres/write/index-queries.ts'
import { prepareDocuments } from '../../../clients/search/postgres/write/prepare-documents.ts'
import { writeIndex } from '../../../clients/search/postgres/write/write-index.ts'
import type { Deps } from '../../../deps.ts'
import { readDocuments } from './documents.ts'
import { markMirrorsBehind } from './mirror-queries.ts'
import * as queries from './queries.ts'
import { findReindex } from './reindex-queries.ts'

const BATCH = 1000

/**
 * Applies every committed change to the index and returns how many listings it processed. The lock is taken before
 * reading, so that an older state never overwrites a newer one.
 */
export async function indexChanges({ db }: Pick<Deps, 'db'>, signal?: AbortSignal): Promise<number> {
  for (let done = 0; ;) {
    signal?.throwIfAborted()
    const taken = await db.transaction(async (tx) => {
      await lockIndex(tx)
      const uids = await queries.takeChanges(tx, BATCH)
      if (uids.length === 0) return 0
      const documents = await readDocuments(tx, uids)
      const prepared = await prepareDocuments(documents)
      // A reindex reads before it takes the lock, and recognises by their versions what was indexed since.
      const force = (await findReindex(tx)) !== null
      await writeIndex(tx, prepared, missingOf(uids, documents), { force })
      await markMirrorsBehind(tx)
      return uids.length
    })
    if (taken === 0) return done
    done += taken
  }
}

/** Listings that are no longer public or were deleted. */
function missingOf(uids: readonly string[], documents: readonly { uid: string }[]): string[] {
  const found = new Set(documents.map(({ uid }) => uid))
  return uids.filter((uid) => !found.has(uid))
}
