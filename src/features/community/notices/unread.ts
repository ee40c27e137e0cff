import { invalidateOn } from '../../../db/notify/notify.ts'
import type { Deps } from '../../../deps.ts'
import type { Followed } from '../../../domain/follows.ts'
import { NOTICE_KINDS, NOTICES_COUNTED_MAX } from '../../../domain/notices.ts'
import { createCache } from '../../../lib/cache/cache.ts'
import { MINUTE_MS } from '../../../lib/time.ts'
import { NOTICE_RECORDED } from '../../games/notice-events.ts'
import { ALL_GAMES, GAME_CHANGED } from '../../games/service.ts'
import type { ReadFollowed } from '../follows/followed.ts'
import { FOLLOWS_CHANGED } from '../follows/service.ts'
import { countNotices, NO_END } from './queries.ts'
import { NOTICES_READ } from './reads.ts'
import { oldestNotice } from './service.ts'

interface Reader {
  userUid: string
  adultContent: boolean
}

/** How many notices an account has not read; of at most NOTICES_COUNTED_MAX events. */
export type CountUnread = (reader: Reader) => Promise<number>

interface Counted {
  unread: number
  /** Whose change alters the number. */
  owners: readonly string[]
}

const MAX_BYTES = 32 * 1024 ** 2
/** Of a uid that an entry is removed by. */
const OWNER_BYTES = 150
/** Notices also grow too old. */
const LIFETIME_MS = 10 * MINUTE_MS

/** Counts once, until something happens that the account follows, or it reads or follows something else. */
export async function createUnreadCounter(
  { database, db }: Pick<Deps, 'database' | 'db'>,
  readFollowed: ReadFollowed,
): Promise<CountUnread> {
  const cache = createCache<Counted>({
    maxBytes: MAX_BYTES,
    bytesOf: ({ owners }) => owners.length * OWNER_BYTES,
    lifetimeMs: LIFETIME_MS,
    isTrusted: () => database.isListening(),
    originOf: ({ owners }) => ({ owners }),
  })
  for (const channel of [NOTICE_RECORDED, FOLLOWS_CHANGED, NOTICES_READ])
    await invalidateOn(database, channel, cache)
  // A page that is hidden takes its notices along.
  await invalidateOn(database, GAME_CHANGED, cache, ALL_GAMES)

  async function count(userUid: string): Promise<Counted> {
    const window = { userUid, kinds: NOTICE_KINDS, since: oldestNotice(), until: NO_END, unreadOnly: true }
    const [followed, { count: unread, games }] = await Promise.all([
      readFollowed(userUid),
      countNotices(db, window, NOTICES_COUNTED_MAX),
    ])
    return {
      unread,
      owners: Array.from(new Set([userUid, ...uidsOf(followed), ...games])),
    }
  }

  return async ({ userUid, adultContent }) =>
    (await cache.load(`${userUid} ${adultContent}`, () => count(userUid))).unread
}

function uidsOf({ games, wishes, developers, jams }: Followed): string[] {
  return [...games, ...wishes, ...developers, ...jams]
}
