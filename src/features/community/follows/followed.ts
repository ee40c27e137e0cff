import { invalidateOn } from '../../../db/notify/notify.ts'
import type { Deps } from '../../../deps.ts'
import type { Followed } from '../../../domain/follows.ts'
import { createCache } from '../../../lib/cache/cache.ts'
import { listFollowed } from './queries.ts'
import { FOLLOWS_CHANGED } from './service.ts'

export type ReadFollowed = (userUid: string) => Promise<Followed>

interface Known extends Followed {
  userUid: string
}

const MAX_BYTES = 16 * 1024 ** 2
/** Of a uid in a set. */
const UID_BYTES = 100

/** What accounts follow, for the marks on cards and for filters: read once, until the account changes it. */
export async function createFollowedReader({
  database,
  db,
}: Pick<Deps, 'database' | 'db'>): Promise<ReadFollowed> {
  const cache = createCache<Known>({
    maxBytes: MAX_BYTES,
    bytesOf: ({ games, wishes, developers, jams }) =>
      (games.size + wishes.size + developers.size + jams.size) * UID_BYTES,
    isTrusted: () => database.isListening(),
    originOf: ({ userUid }) => ({ owners: [userUid] }),
  })
  await invalidateOn(database, FOLLOWS_CHANGED, cache)
  return (userUid) =>
    cache.load(userUid, async () => {
      const rows = await listFollowed(db, userUid)
      const uidsOf = (isIn: (row: (typeof rows)[number]) => boolean) =>
        new Set(rows.filter(isIn).map(({ uid }) => uid))
      return {
        userUid,
        games: uidsOf(({ kind, follows }) => kind === 'game' && follows),
        wishes: uidsOf(({ wish }) => wish),
        developers: uidsOf(({ kind }) => kind === 'developer'),
        jams: uidsOf(({ kind }) => kind === 'jam'),
      }
    })
}
