import type { Deps } from '../../../deps.ts'
import { memoize } from '../../../lib/flow/memoize.ts'
import { listHiddenKeys } from './queries.ts'

/** A picture ends, or comes back, at most this long after its page was taken down or restored. */
const FRESH_MS = 500

export type IsHidden = (objectKey: string) => Promise<boolean>

/**
 * Whether an image belongs to taken-down pages alone. One short query for all pictures of half a second; while the
 * database is away, the last result counts.
 */
export function createHiddenImages({ db, log }: Pick<Deps, 'db' | 'log'>): IsHidden {
  let last: ReadonlySet<string> | null = null
  const read = memoize(FRESH_MS, async () => {
    try {
      last = new Set(await listHiddenKeys(db))
    } catch (error) {
      if (!last) throw error
      log.warn('The images of pages that were taken down could not be read', { error })
    }
    return last
  })
  return async (objectKey) => (await read()).has(objectKey)
}
