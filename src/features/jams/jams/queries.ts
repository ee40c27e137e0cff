import { and, asc, desc, eq, inArray, ne, or, type SQL, sql } from 'drizzle-orm'

import { anyOf, type Db, hasRows, inserted, pageOf, type Transaction } from '../../../db/client.ts'
import { LOCKS } from '../../../db/locks/locks.ts'
import { personColumns } from '../../../db/person-columns.ts'
import { users } from '../../../db/schema/accounts.ts'
import { jamEntries, jamMembers, jamPeople, jams } from '../../../db/schema/jams.ts'
import type { JamRole, JamState } from '../../../domain/jams.ts'
import type { Page, Paged } from '../../../lib/paging.ts'

export type JamRow = typeof jams.$inferSelect
export type NewJam = typeof jams.$inferInsert

const NOW = sql<Date>`date_trunc('milliseconds', clock_timestamp())`.mapWith(jams.startsAt)
const selectJams = (db: Db) => db.select({ jam: jams, now: NOW }).from(jams)

export interface ListedJam {
  jam: JamRow
  now: Date
}

/** When it is over. */
const closesAt = sql`coalesce(${jams.votingEndsAt}, ${jams.endsAt})`

interface Listing {
  which: SQL | undefined
  order: SQL
}

/** By the clock of the database, with what is next first; all of them newest start first. */
const LISTINGS: Readonly<Record<JamState | 'all', Listing>> = {
  all: { which: undefined, order: desc(jams.startsAt) },
  coming: { which: sql`${jams.startsAt} > clock_timestamp()`, order: asc(jams.startsAt) },
  running: {
    which: sql`${jams.startsAt} <= clock_timestamp() and ${jams.endsAt} > clock_timestamp()`,
    order: asc(jams.endsAt),
  },
  voting: {
    which: sql`${jams.endsAt} <= clock_timestamp() and ${jams.votingEndsAt} > clock_timestamp()`,
    order: asc(jams.votingEndsAt),
  },
  past: { which: sql`${closesAt} <= clock_timestamp()`, order: sql`${closesAt} desc` },
}

export async function pagePublic(db: Db, state: JamState | null, page: Page): Promise<Paged<ListedJam>> {
  const { which, order } = LISTINGS[state ?? 'all']
  const isListed = and(eq(jams.visibility, 'public'), which)
  const ordered = selectJams(db).where(isListed).orderBy(order, desc(jams.uid))
  return await pageOf(ordered, db.$count(jams, isListed), page)
}

/** Public ones, the newest first. */
export async function listNewest(db: Db, limit: number): Promise<ListedJam[]> {
  return await selectJams(db).where(eq(jams.visibility, 'public')).orderBy(desc(jams.uid)).limit(limit)
}

/** Whether there is any public jam. */
export async function hasPublic(db: Db): Promise<boolean> {
  return await hasRows(db.select({ uid: jams.uid }).from(jams).where(eq(jams.visibility, 'public')).limit(1))
}

export async function listNewestAddresses(db: Db, limit: number) {
  return await db
    .select({ slug: jams.slug, updatedAt: jams.updatedAt })
    .from(jams)
    .where(eq(jams.visibility, 'public'))
    .orderBy(desc(jams.uid))
    .limit(limit)
}

/** Those that a person hosts, judges or joined, newest start first; drafts only for hosts. */
export async function pageOwn(db: Db, userUid: string, page: Page): Promise<Paged<ListedJam>> {
  const inPeople = db
    .select({ uid: jamPeople.jamUid })
    .from(jamPeople)
    .where(and(eq(jamPeople.userUid, userUid), eq(jamPeople.role, 'host')))
  const inOthers = db
    .select({ uid: jamPeople.jamUid })
    .from(jamPeople)
    .where(and(eq(jamPeople.userUid, userUid), eq(jamPeople.role, 'judge')))
  const inMembers = db
    .select({ uid: jamMembers.jamUid })
    .from(jamMembers)
    .where(eq(jamMembers.userUid, userUid))
  const which = or(
    inArray(jams.uid, inPeople),
    and(ne(jams.visibility, 'draft'), or(inArray(jams.uid, inOthers), inArray(jams.uid, inMembers))),
  )
  const ordered = selectJams(db).where(which).orderBy(desc(jams.startsAt), desc(jams.uid))
  return await pageOf(ordered, db.$count(jams, which), page)
}

/** How many jams a person hosts that are not over. */
export async function countHosted(db: Db, userUid: string): Promise<number> {
  const isHosted = sql`exists (select 1 from ${jamPeople} as person
    where person.jam_uid = ${jams.uid} and person.user_uid = ${userUid} and person.role = 'host')`
  return await db.$count(jams, and(isHosted, sql`${closesAt} > clock_timestamp()`))
}

export type JamCounts = Record<'participants' | 'entries', number>

/** Of each jam: who joined, and the entries that were not withdrawn. */
export async function countOf(db: Db, uids: readonly string[]): Promise<Map<string, JamCounts>> {
  if (uids.length === 0) return new Map()
  const rows = await db.execute<{ uid: string; participants: number; entries: number }>(sql`
    select jam.uid,
      (select count(*)::int from ${jamMembers} where jam_uid = jam.uid) as participants,
      (select count(*)::int from ${jamEntries} where jam_uid = jam.uid and withdrawn_at is null) as entries
    from unnest(${sql.param([...uids])}::uuid[]) as jam (uid)`)
  return new Map(rows.map(({ uid, participants, entries }) => [uid, { participants, entries }]))
}

/** Hosts and judges, in the order in which they were added. */
export async function listPeople(db: Db, uids: readonly string[], role?: JamRole) {
  if (uids.length === 0) return []
  return await db
    .select({
      jamUid: jamPeople.jamUid,
      role: jamPeople.role,
      uid: users.id,
      ...personColumns,
    })
    .from(jamPeople)
    .innerJoin(users, eq(users.id, jamPeople.userUid))
    .where(and(anyOf(jamPeople.jamUid, uids), role && eq(jamPeople.role, role)))
    .orderBy(asc(jamPeople.createdAt), asc(users.username))
}

export async function listUsersNamed(db: Db, usernames: readonly string[]) {
  if (usernames.length === 0) return []
  return await db
    .select({ uid: users.id, username: users.username })
    .from(users)
    .where(inArray(users.username, [...usernames]))
}

export async function removePeople(
  tx: Transaction,
  jamUid: string,
  role: JamRole,
  userUids: readonly string[],
): Promise<void> {
  if (userUids.length === 0) return
  await tx
    .delete(jamPeople)
    .where(and(eq(jamPeople.jamUid, jamUid), eq(jamPeople.role, role), anyOf(jamPeople.userUid, userUids)))
}

export async function addPeople(
  tx: Transaction,
  jamUid: string,
  role: JamRole,
  userUids: readonly string[],
): Promise<void> {
  if (userUids.length === 0) return
  await tx
    .insert(jamPeople)
    .values(userUids.map((userUid) => ({ jamUid, userUid, role })))
    .onConflictDoNothing()
}

/** Serialises the jams that one person makes. */
export async function lockMaker(tx: Transaction, userUid: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${LOCKS.jams}, hashtext(${userUid}))`)
}

/** Those of the slugs that jams have. */
export async function listTakenSlugs(db: Db, slugs: readonly string[]): Promise<string[]> {
  const rows = await db
    .select({ slug: jams.slug })
    .from(jams)
    .where(inArray(jams.slug, [...slugs]))
  return rows.map(({ slug }) => slug)
}

export async function insertJam(tx: Transaction, values: NewJam): Promise<JamRow> {
  return await inserted(tx.insert(jams).values(values).returning())
}

/** Increments the revision, which If-Match is compared with. */
export async function updateJam(tx: Transaction, uid: string, values: Partial<NewJam>): Promise<JamRow> {
  return await inserted(
    tx
      .update(jams)
      .set({ ...values, revision: sql`${jams.revision} + 1`, updatedAt: sql`now()` })
      .where(eq(jams.uid, uid))
      .returning(),
  )
}

/** The revision stays: a text that is being edited meanwhile can still be saved. */
export async function setCover(tx: Transaction, uid: string, coverKey: string | null): Promise<void> {
  await tx.update(jams).set({ coverKey }).where(eq(jams.uid, uid))
}

export async function countEntries(tx: Transaction, uid: string): Promise<number> {
  return await tx.$count(jamEntries, and(eq(jamEntries.jamUid, uid), sql`withdrawn_at is null`))
}

export async function deleteJam(tx: Transaction, uid: string): Promise<void> {
  await tx.delete(jams).where(eq(jams.uid, uid))
}
