import { and, eq, gt, inArray, isNotNull, isNull, sql } from 'drizzle-orm'

import { anyOf, countChanged, type Db, one, type Transaction, unnest } from '../../../db/client.ts'
import { LOCKS } from '../../../db/locks/locks.ts'
import { users } from '../../../db/schema/accounts.ts'
import { developerFollows, gameFollows } from '../../../db/schema/follows.ts'
import { jamMembers } from '../../../db/schema/jams.ts'
import { noticeEvents, noticeMails, noticeSettings } from '../../../db/schema/notices.ts'
import { BOUNCES_MAX, kindsChosen, type NoticeKind } from '../../../domain/notices.ts'
import { createUid } from '../../../lib/ids.ts'

/**
 * Waits for every event that is being recorded, so that no later one counts as having happened before. Call it in a
 * transaction of its own: recording waits until it ends.
 */
export async function lockEvents(tx: Transaction): Promise<void> {
  await tx.execute(sql`set local lock_timeout = '5s'`)
  await tx.execute(sql`select pg_advisory_xact_lock(${LOCKS.noticeEvents})`)
}

/** A moment of the database's clock, in whole milliseconds, before everything that is recorded later. */
export async function loadNow(db: Db): Promise<Date> {
  const [row] = await db.execute<{ at: number }>(
    sql`select floor(extract(epoch from clock_timestamp()) * 1000)::float8 - 1 as at`,
  )
  return new Date(row?.at ?? 0)
}

const mayBeMailed = sql<boolean>`(${users.emailVerified} and ${users.suspendedAt} is null
  and ${noticeSettings.bounces} < ${BOUNCES_MAX})`

/** When the newest digest was made that was sent or waits to be sent. */
const lastDigestAt = sql<number | null>`(
  select extract(epoch from max(mail.created_at))::float8 * 1000 from ${noticeMails} as mail
  where mail.user_uid = ${noticeSettings.userUid} and mail.events_until is not null)`

/** The digest that was recorded before and could not be sent yet. */
const waitingUid = sql<string | null>`(
  select mail.uid from ${noticeMails} as mail
  where mail.user_uid = ${noticeSettings.userUid} and mail.events_until is not null and mail.started_at is null
  order by mail.created_at desc limit 1)`

/** Which digests are looked for: those due by the clock, or those of all accounts, in order of the accounts. */
export type DueOf = { now: Date } | { afterUser: string }

/** Accounts that expect a digest, locked until the transaction ends; those that another process works on are left out. */
export async function lockDue(tx: Transaction, due: DueOf, limit: number) {
  const { userUid, nextDigestAt } = noticeSettings
  const rows = await tx
    .select({ settings: noticeSettings, mayBeMailed, lastDigestAt, waitingUid })
    .from(noticeSettings)
    .innerJoin(users, eq(users.id, userUid))
    .where(
      'now' in due
        ? sql`${nextDigestAt} <= ${due.now.toISOString()}::timestamptz`
        : and(isNotNull(nextDigestAt), sql`${userUid} > ${due.afterUser}::uuid`),
    )
    .orderBy('now' in due ? nextDigestAt : userUid)
    .limit(limit)
    .for('update', { of: noticeSettings, skipLocked: true })
  return rows.map(({ lastDigestAt: last, ...row }) => ({
    ...row,
    lastDigest: last === null ? null : new Date(last),
  }))
}
export type DueRow = Awaited<ReturnType<typeof lockDue>>[number]

interface Rescheduled {
  userUid: string
  nextDigestAt: string | null
  /** Null: no digest was made, so the next one begins where this one would have. */
  digestUntil: string | null
}

export async function saveSchedule(tx: Transaction, rows: readonly Rescheduled[]): Promise<void> {
  const columns = { userUid: 'uuid', nextDigestAt: 'text', digestUntil: 'text' }
  await tx.execute(sql`
    update ${noticeSettings} set
      next_digest_at = due.next_at::timestamptz, digest_until = coalesce(due.until::timestamptz, digest_until)
    from ${unnest(rows, columns)} as due(user_uid, next_at, until)
    where ${noticeSettings.userUid} = due.user_uid`)
}

interface NewDigest {
  userUid: string
  from: Date
  until: Date
}

/** Returns the uids of the mails, which wait to be sent. */
export async function insertDigests(tx: Transaction, digests: readonly NewDigest[]): Promise<string[]> {
  const rows = digests.map((digest) => ({ uid: createUid(), ...digest }))
  if (rows.length > 0) await tx.insert(noticeMails).values(rows)
  return rows.map(({ uid }) => uid)
}

/** Lets digests that wait tell what happened up to then, too. */
export async function extendDigests(tx: Transaction, uids: readonly string[], until: Date): Promise<void> {
  if (uids.length === 0) return
  await tx
    .update(noticeMails)
    .set({ until, createdAt: until })
    .where(and(anyOf(noticeMails.uid, uids), isNull(noticeMails.startedAt)))
}

/** Gives accounts with a confirmed address that have no row yet the default settings, at most `limit` of them. */
export async function insertMissingSettings(db: Db, limit: number): Promise<number> {
  return await countChanged(
    db.execute(sql`
    insert into ${noticeSettings} (user_uid)
    select account.id from ${users} as account
    where account.email_verified and not exists (
      select 1 from ${noticeSettings} as known where known.user_uid = account.id)
    limit ${limit} on conflict do nothing`),
  )
}

const DIGEST_KINDS = kindsChosen({}, 'digest')

/** Accounts that expect digests and have no time for the next one, locked until the transaction ends. */
export async function lockUnscheduled(tx: Transaction, limit: number) {
  const { kinds, nextDigestAt } = noticeSettings
  const isExpected = sql`(${kinds}::text like '%"digest"%' or exists (
    select 1 from unnest(${sql.param(DIGEST_KINDS)}::text[]) as kind where not ${kinds} ? kind))`
  return await tx
    .select()
    .from(noticeSettings)
    .where(and(isNull(nextDigestAt), isExpected))
    .limit(limit)
    .for('update', { skipLocked: true })
}

/** Followers, or who joined a jam, who want to hear of such events at once, after a given account in their order. */
export async function listAtOnce(
  tx: Transaction,
  event: { kind: NoticeKind; gameUid: string | null; developerUid: string | null; jamUid: string | null },
  afterUser: string,
  limit: number,
): Promise<string[]> {
  const rows = await tx.execute<{ user_uid: string }>(sql`
    select settings.user_uid from ${noticeSettings} as settings
    where settings.kinds::text like '%at_once%' and settings.kinds ->> ${event.kind} = 'at_once'
      and settings.user_uid > ${afterUser}::uuid and (
        exists (select 1 from ${gameFollows} as follow
          where follow.user_uid = settings.user_uid and follow.game_uid = ${event.gameUid}::uuid)
        or exists (select 1 from ${developerFollows} as follow
          where follow.user_uid = settings.user_uid and follow.developer_uid = ${event.developerUid}::uuid)
        or exists (select 1 from ${jamMembers} as member
          where member.user_uid = settings.user_uid and member.jam_uid = ${event.jamUid}::uuid))
    order by settings.user_uid limit ${limit}`)
  return rows.map((row) => row.user_uid)
}

export async function findEvent(db: Db, uid: string) {
  return await one(db.select().from(noticeEvents).where(eq(noticeEvents.uid, uid)))
}

/** Returns the uids of the mails that are new: each account gets one of an event. */
export async function insertAtOnce(
  tx: Transaction,
  eventUid: string,
  userUids: readonly string[],
): Promise<string[]> {
  if (userUids.length === 0) return []
  const rows = await tx
    .insert(noticeMails)
    .values(userUids.map((userUid) => ({ uid: createUid(), userUid, eventUid })))
    .onConflictDoNothing()
    .returning({ uid: noticeMails.uid })
  return rows.map(({ uid }) => uid)
}

/** Digests that wait to be sent, after a given one in their order. */
export async function listWaitingDigests(db: Db, afterUid: string, limit: number): Promise<string[]> {
  const rows = await db
    .select({ uid: noticeMails.uid })
    .from(noticeMails)
    .where(and(gt(noticeMails.uid, afterUid), isNotNull(noticeMails.until), isNull(noticeMails.startedAt)))
    .orderBy(noticeMails.uid)
    .limit(limit)
  return rows.map(({ uid }) => uid)
}

export async function countSent(db: Db, uids: readonly string[]): Promise<number> {
  return await db.$count(noticeMails, and(anyOf(noticeMails.uid, uids), isNotNull(noticeMails.sentAt)))
}

/** The mails that nobody has begun to send, with whom they go to. */
export async function listPending(db: Db, uids: readonly string[]) {
  return await db
    .select({
      mail: noticeMails,
      email: users.email,
      name: users.name,
      adultContent: users.adultContent,
      mayBeMailed: sql<boolean>`${users.emailVerified} and ${users.suspendedAt} is null
        and coalesce(${noticeSettings.bounces}, 0) < ${BOUNCES_MAX}`,
      bounces: sql<number>`coalesce(${noticeSettings.bounces}, 0)`,
      kinds: sql<typeof noticeSettings.$inferSelect.kinds>`coalesce(${noticeSettings.kinds}, '{}')`,
      event: { uid: noticeEvents.uid, kind: noticeEvents.kind, at: noticeEvents.at },
    })
    .from(noticeMails)
    .innerJoin(users, eq(users.id, noticeMails.userUid))
    .leftJoin(noticeSettings, eq(noticeSettings.userUid, noticeMails.userUid))
    .leftJoin(noticeEvents, eq(noticeEvents.uid, noticeMails.eventUid))
    .where(and(anyOf(noticeMails.uid, uids), isNull(noticeMails.startedAt)))
    .orderBy(noticeMails.userUid, noticeMails.createdAt)
}
export type PendingRow = Awaited<ReturnType<typeof listPending>>[number]

/** The events that these accounts were or will be mailed of at once. */
export async function listMailedAtOnce(db: Db, userUids: readonly string[], since: Date) {
  return await db
    .select({ userUid: noticeMails.userUid, eventUid: noticeMails.eventUid })
    .from(noticeMails)
    .where(
      and(
        anyOf(noticeMails.userUid, userUids),
        isNotNull(noticeMails.eventUid),
        gt(noticeMails.createdAt, since),
      ),
    )
}

/** What waits to be mailed at once to the accounts of these mails, oldest first. */
export async function listWaitingAtOnce(db: Db, uids: readonly string[], limit: number): Promise<string[]> {
  const accounts = db
    .select({ uid: noticeMails.userUid })
    .from(noticeMails)
    .where(anyOf(noticeMails.uid, uids))
  const rows = await db
    .select({ uid: noticeMails.uid })
    .from(noticeMails)
    .where(
      and(
        inArray(noticeMails.userUid, accounts),
        isNotNull(noticeMails.eventUid),
        isNull(noticeMails.startedAt),
      ),
    )
    .orderBy(noticeMails.createdAt)
    .limit(limit)
  return rows.map(({ uid }) => uid)
}

/** The accounts that were mailed at once a moment ago. */
export async function listJustMailed(
  db: Db,
  userUids: readonly string[],
  seconds: number,
): Promise<Set<string>> {
  const rows = await db
    .selectDistinct({ uid: noticeMails.userUid })
    .from(noticeMails)
    .where(
      and(
        anyOf(noticeMails.userUid, userUids),
        isNotNull(noticeMails.eventUid),
        sql`${noticeMails.startedAt} > clock_timestamp() - make_interval(secs => ${seconds})`,
      ),
    )
  return new Set(rows.map(({ uid }) => uid))
}

type MailRow = Pick<PendingRow['mail'], 'uid' | 'until'>

/**
 * Mails that nobody has begun, and digests only as they were read: they may have been extended in the meantime. Another
 * process takes care of those that it has locked.
 */
const isWaiting = (mails: readonly MailRow[]) => {
  const rows = mails.map(({ uid, until }) => ({ uid, until: until?.toISOString() ?? null }))
  return sql`${noticeMails.uid} in (
    select mail.uid from ${noticeMails} as mail
    join ${unnest(rows, { uid: 'uuid', until: 'text' })} as known(uid, until) on mail.uid = known.uid
    where mail.started_at is null and mail.events_until is not distinct from known.until::timestamptz
    for update of mail skip locked)`
}

/** Marks mails as begun, and returns those that no other process has begun. */
export async function startMails(db: Db, mails: readonly MailRow[]): Promise<Set<string>> {
  const rows = await db
    .update(noticeMails)
    .set({ startedAt: sql`clock_timestamp()` })
    .where(isWaiting(mails))
    .returning({ uid: noticeMails.uid })
  return new Set(rows.map(({ uid }) => uid))
}

/** The mail server certainly does not have them, so they are sent again. */
export async function resetMails(db: Db, uids: readonly string[]): Promise<void> {
  if (uids.length > 0)
    await db.update(noticeMails).set({ startedAt: null }).where(anyOf(noticeMails.uid, uids))
}

export async function markSent(db: Db, uids: readonly string[]): Promise<void> {
  if (uids.length > 0)
    await db
      .update(noticeMails)
      .set({ sentAt: sql`clock_timestamp()` })
      .where(anyOf(noticeMails.uid, uids))
}

/** The address takes mails again. */
export async function clearBounces(db: Db, userUid: string): Promise<void> {
  await db.update(noticeSettings).set({ bounces: 0 }).where(eq(noticeSettings.userUid, userUid))
}

/** Mails that have nothing to say any more. */
export async function deleteMails(db: Db, mails: readonly MailRow[]): Promise<void> {
  if (mails.length > 0) await db.delete(noticeMails).where(isWaiting(mails))
}

export async function deleteOldMails(db: Db, before: Date, limit: number): Promise<number> {
  const old = sql`select uid from ${noticeMails} where created_at < ${before.toISOString()}::timestamptz limit ${limit}`
  return await countChanged(db.execute(sql`delete from ${noticeMails} where uid in (${old})`))
}
