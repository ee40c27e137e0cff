import { and, eq, type SQL, sql } from 'drizzle-orm'

import { anyOf, countChanged, type Db, one, type Transaction } from '../../../db/client.ts'
import { personColumns } from '../../../db/person-columns.ts'
import { users } from '../../../db/schema/accounts.ts'
import { developerFollows, gameFollows } from '../../../db/schema/follows.ts'
import { games } from '../../../db/schema/games/games.ts'
import { jamMembers, jams } from '../../../db/schema/jams.ts'
import { noticeEvents, noticeReads, noticeSettings } from '../../../db/schema/notices.ts'
import { posts } from '../../../db/schema/posts.ts'
import { type NoticeKind, NOTICES_APART_MAX, type ToldEvent } from '../../../domain/notices.ts'

/** Which notices of one account are asked for. */
export interface NoticeWindow {
  userUid: string
  kinds: readonly NoticeKind[]
  /** What happened later. */
  since: Date
  /** What happened up to then. */
  until: Date
  /** Of what happened at `until`, only events with smaller uids. */
  belowUid?: string
  unreadOnly?: boolean
}

export interface NoticeRef extends ToldEvent {
  userUid: string
}

/** Later than anything: the clock of the database may be ahead of ours. */
export const NO_END = new Date(Date.UTC(9999, 0))

const LAST_UID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** The parameter of a statement for many accounts. */
function windowTable(windows: readonly NoticeWindow[]): SQL {
  const rows = windows.map(({ userUid, kinds, since, until, belowUid = LAST_UID, unreadOnly = false }) => ({
    user_uid: userUid,
    kinds,
    since,
    until,
    below_uid: belowUid,
    unread_only: unreadOnly,
  }))
  return sql`jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb)
    as wanted(user_uid uuid, kinds text[], since timestamptz, until timestamptz, below_uid uuid, unread_only boolean)`
}

const columns = sql`event.uid, event.kind, event.game_uid, event.user_uid, event.at, event.burst_at`

const isWanted = sql`event.kind = any(wanted.kinds)
  and event.at > greatest(wanted.since, case when wanted.unread_only then settings.read_until end)
  and (event.at, event.uid) < (wanted.until, wanted.below_uid)
  and not (wanted.unread_only and exists (
    select 1 from ${noticeReads} as done where done.user_uid = wanted.user_uid and done.event_uid = event.uid))`

/** A post that was withdrawn or taken down is no longer told. */
const isShown = sql`(event.post_uid is null or exists (
  select 1 from ${posts} as post where post.uid = event.post_uid and post.state = 'published' and post.taken_down is null))`

const fitsAge = sql`(not game.adult or account.adult_content)`
const isOpen = sql`game.visibility in ('invisible', 'public') and ${fitsAge}`

/** What concerns only this person. They hear of their own listings also while those are hidden. */
const addressed = (limit: number) => sql`
  select ${columns} from ${noticeEvents} as event
  left join ${games} as game on game.uid = event.game_uid
  where event.user_uid = wanted.user_uid and ${isWanted}
    and (event.game_uid is null or game.owner_uid = wanted.user_uid or (${isOpen}))
  order by event.at desc, event.uid desc limit ${limit}`

/** What happened to listings after the person followed or wished them. */
const ofGames = (limit: number) => sql`
  select news.* from ${gameFollows} as follow
  join ${games} as game on game.uid = follow.game_uid and ${isOpen}
  cross join lateral (
    select ${columns} from ${noticeEvents} as event
    where event.game_uid = follow.game_uid and event.user_uid is null and ${isWanted}
      and event.at > least(follow.created_at, follow.wished_at)
      and case event.kind
        when 'release' then follow.releases and event.at > follow.created_at and (
          cardinality(follow.platforms) = 0 or cardinality(event.platforms) = 0 or follow.platforms && event.platforms)
        when 'post' then follow.posts and event.at > follow.created_at and ${isShown}
        when 'price' then follow.wish and event.at > follow.wished_at
        when 'released' then follow.wish and event.at > follow.wished_at
        else false end
    order by event.at desc, event.uid desc limit ${limit}
  ) as news
  where follow.user_uid = wanted.user_uid`

/** New listings and posts of developers, whoever owns the listing now. */
const ofDevelopers = (limit: number) => sql`
  select news.* from ${developerFollows} as follow
  cross join lateral (
    select ${columns} from ${noticeEvents} as event
    join ${games} as game on game.uid = event.game_uid and game.visibility = 'public' and ${fitsAge}
    where event.developer_uid = follow.developer_uid and event.user_uid is null and ${isWanted}
      and event.at > follow.created_at
      and case event.kind when 'new_game' then follow.new_games when 'post' then follow.posts and ${isShown} else false end
    order by event.at desc, event.uid desc limit ${limit}
  ) as news
  where follow.user_uid = wanted.user_uid`

/** What happens in jams after the person joined them. */
const ofJams = (limit: number) => sql`
  select news.* from ${jamMembers} as member
  join ${jams} as jam on jam.uid = member.jam_uid and jam.visibility <> 'draft'
  cross join lateral (
    select ${columns} from ${noticeEvents} as event
    where event.jam_uid = member.jam_uid and event.user_uid is null and ${isWanted} and event.at > member.created_at
    order by event.at desc, event.uid desc limit ${limit}
  ) as news
  where member.user_uid = wanted.user_uid`

/** At most `limit` events of each account, newest first, as `found` beside `wanted` and `settings`. */
const foundIn = (windows: readonly NoticeWindow[], limit: number) => sql`
  from ${windowTable(windows)}
  join ${users} as account on account.id = wanted.user_uid
  left join ${noticeSettings} as settings on settings.user_uid = wanted.user_uid
  cross join lateral (
    select * from (
      (${addressed(limit)}) union (${ofGames(limit)}) union (${ofDevelopers(limit)}) union (${ofJams(limit)})
    ) as news order by at desc, uid desc limit ${limit}
  ) as found`

/** One statement for all accounts. */
export async function listNoticeRefs(
  db: Db,
  windows: readonly NoticeWindow[],
  limit: number,
): Promise<NoticeRef[]> {
  const rows = await db.execute<{
    user_uid: string
    uid: string
    kind: NoticeKind
    game_uid: string | null
    is_addressed: boolean
    at: number
    burst_at: number
    is_read: boolean
  }>(sql`
    select wanted.user_uid, found.uid, found.kind, found.game_uid, found.user_uid is not null as is_addressed,
      (extract(epoch from found.at) * 1000)::float8 as at, (extract(epoch from found.burst_at) * 1000)::float8 as burst_at,
      not wanted.unread_only and (coalesce(found.at <= settings.read_until, false) or exists (
        select 1 from ${noticeReads} as done
        where done.user_uid = wanted.user_uid and done.event_uid = found.uid)) as is_read
    ${foundIn(windows, limit)}
    order by wanted.user_uid, found.at desc, found.uid desc`)
  return rows.map((row) => ({
    userUid: row.user_uid,
    uid: row.uid,
    kind: row.kind,
    gameUid: row.game_uid,
    isAddressed: row.is_addressed,
    isRead: row.is_read,
    at: row.at,
    burstAt: row.burst_at,
  }))
}

/** How many notices one account has, of at most `max` events, and of which listings; bursts count as in `groupBursts`. */
export async function countNotices(db: Db, window: NoticeWindow, max: number) {
  const [row] = await db.execute<{ count: number; games: string[] }>(sql`
    select coalesce(sum(case when game_uid is not null and events > ${NOTICES_APART_MAX} then 1 else events end), 0)::integer as count,
      coalesce(array_agg(distinct game_uid) filter (where game_uid is not null), '{}') as games
    from (
      select found.game_uid, count(*) as events ${foundIn([window], max)}
      group by found.game_uid, found.user_uid is null, found.burst_at
    ) as bursts`)
  return row ?? { count: 0, games: [] }
}

/** Events with what their notices name of listing, developer and post as they are now. */
export async function listEvents(db: Db, uids: readonly string[]) {
  return await db
    .select({
      event: noticeEvents,
      game: { uid: games.uid, name: games.name, vanityName: games.vanityName },
      developer: { uid: users.id, ...personColumns },
      postTitle: posts.title,
    })
    .from(noticeEvents)
    .leftJoin(games, eq(games.uid, noticeEvents.gameUid))
    .leftJoin(users, eq(users.id, games.ownerUid))
    .leftJoin(posts, eq(posts.uid, noticeEvents.postUid))
    .where(anyOf(noticeEvents.uid, uids))
}
export type EventRow = Awaited<ReturnType<typeof listEvents>>[number]

/** Everything up to then is read, unless more was already; nothing that is still to come. */
export async function raiseReadUntil(tx: Transaction, userUid: string, until: Date): Promise<void> {
  await tx.execute(sql`
    insert into ${noticeSettings} (user_uid, read_until)
    select ${users.id}, least(${until.toISOString()}::timestamptz, clock_timestamp()) from ${users}
    where ${users.id} = ${userUid} for key share
    on conflict (user_uid) do update set
      read_until = greatest(${noticeSettings.readUntil}, excluded.read_until)`)
  const isCovered = sql`exists (
    select 1 from ${noticeEvents} where ${noticeEvents.uid} = ${noticeReads.eventUid} and ${noticeEvents.at} <= (
      select ${noticeSettings.readUntil} from ${noticeSettings} where ${noticeSettings.userUid} = ${userUid}))`
  await tx.delete(noticeReads).where(and(eq(noticeReads.userUid, userUid), isCovered))
}

/** Events that were deleted meanwhile are left out. */
export async function insertReads(tx: Transaction, userUid: string, uids: readonly string[]): Promise<void> {
  await tx.execute(sql`
    insert into ${noticeReads} (user_uid, event_uid)
    select ${users.id}, ${noticeEvents.uid} from ${noticeEvents}, ${users}
    where ${noticeEvents.uid} = any(${sql.param([...uids])}::uuid[]) and ${users.id} = ${userUid}
    for key share
    on conflict do nothing`)
}

/** When the event was recorded from which on older marks are too many; undefined while there is room. */
export async function findSurplusRead(tx: Transaction, userUid: string, max: number) {
  const row = await one(
    tx
      .select({ at: noticeEvents.at })
      .from(noticeReads)
      .innerJoin(noticeEvents, eq(noticeEvents.uid, noticeReads.eventUid))
      .where(eq(noticeReads.userUid, userUid))
      .orderBy(sql`${noticeEvents.at} desc`)
      .offset(max)
      .limit(1),
  )
  return row?.at
}

/** Deletes events that are older, at most `limit` of them, with their marks. Returns how many. */
export async function deleteOldEvents(db: Db, before: Date, limit: number): Promise<number> {
  const old = db
    .select({ uid: noticeEvents.uid })
    .from(noticeEvents)
    .where(sql`${noticeEvents.at} < ${before.toISOString()}`)
    .orderBy(noticeEvents.at)
    .limit(limit)
  return await countChanged(db.delete(noticeEvents).where(sql`${noticeEvents.uid} in (${old})`))
}
