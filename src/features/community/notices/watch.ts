import type { Deps } from '../../../deps.ts'
import { followsUid } from '../../../domain/follows.ts'
import { NOTICE_RECORDED } from '../../games/notice-events.ts'
import type { ReadFollowed } from '../follows/followed.ts'
import { FOLLOWS_CHANGED } from '../follows/service.ts'
import { NOTICES_READ } from './reads.ts'

/** Calls back when the notices of the account may have changed. Returns a function that ends this. */
export type WatchNotices = (userUid: string, onChange: () => void) => () => void

/** One subscription per process, for all who have the page open. */
export async function createNoticeWatch(
  { database, log }: Pick<Deps, 'database' | 'log'>,
  readFollowed: ReadFollowed,
): Promise<WatchNotices> {
  const readers = new Map<string, Set<() => void>>()
  const tell = (userUid: string) => readers.get(userUid)?.forEach((onChange) => onChange())
  const tellAll = () => readers.forEach((_, userUid) => tell(userUid))

  async function tellFollowers(uid: string): Promise<void> {
    for (const userUid of Array.from(readers.keys())) {
      if (followsUid(await readFollowed(userUid), uid)) tell(userUid)
    }
  }

  for (const channel of [FOLLOWS_CHANGED, NOTICES_READ]) await database.listen(channel, tell, tellAll)
  await database.listen(
    NOTICE_RECORDED,
    (uid) => {
      if (readers.has(uid)) tell(uid)
      else if (readers.size > 0)
        tellFollowers(uid).catch((error: unknown) =>
          log.warn('Open pages were not told of a notice', { error }),
        )
    },
    tellAll,
  )
  return (userUid, onChange) => {
    const own = readers.get(userUid) ?? new Set()
    readers.set(userUid, own.add(onChange))
    return () => {
      own.delete(onChange)
      if (own.size === 0) readers.delete(userUid)
    }
  }
}
