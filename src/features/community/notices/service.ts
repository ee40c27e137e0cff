import type { Db } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import { toPerson } from '../../../domain/actor.ts'
import {
  burstKey,
  groupBursts,
  NOTICE_BURST_SECONDS,
  NOTICE_DAYS,
  NOTICE_KINDS,
  type NoticeKind,
  type ToldEvent,
  type ToldNotice,
} from '../../../domain/notices.ts'
import { listingUrl } from '../../../domain/site-urls.ts'
import { invalidField } from '../../../errors.ts'
import { clamp, PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX } from '../../../lib/paging.ts'
import { DAY_MS } from '../../../lib/time.ts'
import type { Notice, ReadNotice } from './model.ts'
import * as queries from './queries.ts'

type Services = Pick<Deps, 'db' | 'config'>

/** From when on notices are told. */
export function oldestNotice(now = Date.now()): Date {
  return new Date(now - NOTICE_DAYS * DAY_MS)
}

/** The notices of many accounts, newest first, made of at most `max` events of each. One statement for all of them. */
export async function listToldOf(
  db: Db,
  windows: readonly queries.NoticeWindow[],
  max: number,
): Promise<Map<string, ToldNotice[]>> {
  const refs = windows.length === 0 ? [] : await queries.listNoticeRefs(db, windows, max)
  const byUser = Map.groupBy(refs, ({ userUid }) => userUid)
  return new Map(Array.from(byUser, ([userUid, own]) => [userUid, groupBursts(own)]))
}

/** Where a page begins: after the notice `uid` that was told at `at`, of what had happened `until` then. */
interface Cursor {
  until: number
  at: number
  uid: string
}

export interface NoticesQuery {
  unreadOnly: boolean
  /** Null: all. */
  kind: NoticeKind | null
  limit: number
  cursor: Cursor | null
}

/** An unknown kind means all. */
export function parseNotices(query: Readonly<Record<string, string | undefined>>): NoticesQuery {
  return {
    unreadOnly: query.unread === 'true',
    kind: NOTICE_KINDS.find((known) => known === query.kind) ?? null,
    limit: clamp(query.limit, PAGE_SIZE_DEFAULT, 1, PAGE_SIZE_MAX),
    cursor: parseCursor(query.cursor),
  }
}

const CURSOR = /^(\d{1,14}) (\d{1,14}) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

function parseCursor(text: string | undefined): Cursor | null {
  if (text === undefined || text === '') return null
  const [, until, at, uid] = CURSOR.exec(Buffer.from(text, 'base64url').toString()) ?? []
  if (uid !== undefined) return { until: Number(until), at: Number(at), uid }
  throw invalidField(
    'cursor',
    'must be the `next_cursor` of the previous page; leave it out for the first page.',
  )
}

function writeCursor({ until, at, uid }: Cursor): string {
  return Buffer.from(`${until} ${at} ${uid}`).toString('base64url')
}

export interface NoticePage {
  items: Notice[]
  nextCursor: string | null
}

/** One page of an account's notices; later pages show what had happened when the first one was read. */
export async function listNotices(
  deps: Services,
  userUid: string,
  { unreadOnly, kind, limit, cursor }: NoticesQuery,
): Promise<NoticePage> {
  const kinds = kind === null ? NOTICE_KINDS : [kind]
  const { told, newest } = await listTold(deps, { userUid, kinds, unreadOnly, cursor, limit })
  const until = cursor?.until ?? newest
  const shown = told.slice(0, limit)
  const last = told.length > limit ? shown.at(-1) : undefined
  const toNotice = await loadEvents(deps, shown)
  return {
    items: shown.flatMap(toNotice),
    nextCursor: last ? writeCursor({ until, at: last.at, uid: last.uid }) : null,
  }
}

/** How many events are read at once, and how often for one page. */
const EVENTS_READ = 250
const READINGS_MAX = 8
/** How far back the first reading looks: who follows much has a page of the last days, and who does not has few events. */
const FIRST_DAYS = 14
const BURST_MS = NOTICE_BURST_SECONDS * 1000

interface Wanted {
  userUid: string
  kinds: readonly NoticeKind[]
  unreadOnly: boolean
  cursor: Cursor | null
  limit: number
}

/**
 * Notices after the cursor, more than `limit` if there are. Reads on until no burst among those can have further
 * events, and from a burst's length before the cursor, because one that was told there is not told again.
 */
async function listTold(
  { db }: Services,
  { userUid, kinds, unreadOnly, cursor, limit }: Wanted,
): Promise<{ told: ToldNotice[]; newest: number }> {
  const oldest = oldestNotice()
  const start = cursor === null ? queries.NO_END.getTime() : Math.min(cursor.until, cursor.at + BURST_MS)
  const recent = new Date(Math.min(start, Date.now()) - FIRST_DAYS * DAY_MS)
  const events: ToldEvent[] = []
  let below: Pick<queries.NoticeWindow, 'until' | 'belowUid'> = { until: new Date(start) }
  for (let reading = 1; ; reading += 1) {
    const since = reading === 1 && recent > oldest ? recent : oldest
    const count = reading === 1 ? Math.min(3 * limit, EVENTS_READ) : EVENTS_READ
    const found = await queries.listNoticeRefs(db, [{ userUid, kinds, unreadOnly, since, ...below }], count)
    events.push(...found)
    const last = found.length === count ? found.at(-1) : undefined
    const told = groupBursts(events).filter((notice) => cursor === null || isAfter(notice, cursor))
    const page = { told, newest: events[0]?.at ?? start }
    if ((last === undefined && since === oldest) || reading === READINGS_MAX) return page
    const end = last?.at ?? since.getTime()
    const open = told.findIndex((notice) => burstKey(notice) !== null && notice.burstAt <= end + 1)
    if ((open === -1 ? told.length : open) > limit) return page
    below = last ? { until: new Date(last.at), belowUid: last.uid } : { until: since }
  }
}

function isAfter({ at, uid }: ToldNotice, cursor: Cursor): boolean {
  return at < cursor.at || (at === cursor.at && uid < cursor.uid)
}

/** Reads what the notices say, and returns what makes them. */
export async function loadEvents(
  { db, config: { baseUrl } }: Services,
  told: readonly ToldNotice[],
): Promise<ReadNotice> {
  const uids = Array.from(new Set(told.map(({ uid }) => uid)))
  const rows = uids.length === 0 ? [] : await queries.listEvents(db, uids)
  const byUid = new Map(rows.map((row) => [row.event.uid, row]))
  return ({ uid, isRead, count }) => {
    const row = byUid.get(uid)
    // Its listing was deleted in the meantime.
    if (!row) return []
    const { event, game, developer, postTitle } = row
    const pageUrl = game ? listingUrl(baseUrl, game.vanityName) : baseUrl
    return [
      {
        uid,
        kind: event.kind,
        game: game && { uid: game.uid, name: game.name, vanity_name: game.vanityName, url: pageUrl },
        developer: developer && { uid: developer.uid, ...toPerson(baseUrl, developer) },
        title: postTitle ?? event.facts.title,
        text: event.facts.text ?? null,
        url: event.facts.path === undefined ? pageUrl : `${baseUrl}${event.facts.path}`,
        at: event.at.toISOString(),
        read: isRead,
        count,
      },
    ]
  }
}
