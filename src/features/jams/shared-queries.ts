import { and, asc, desc, eq, sql } from 'drizzle-orm'

import { changed, type Db, one, pageOf, textList, type Transaction } from '../../db/client.ts'
import { personColumns } from '../../db/person-columns.ts'
import { users } from '../../db/schema/accounts.ts'
import { jamChanges, jamMembers, jamPeople, jams } from '../../db/schema/jams.ts'
import type { OperatingSystem } from '../../domain/builds/platforms.ts'
import type { JamRole } from '../../domain/jams.ts'
import { ENTRY_FILES_MAX } from '../../domain/jams/entries.ts'
import { isUid } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'

export type JamRow = typeof jams.$inferSelect

const hasRole = (userUid: string | null, role: JamRole) => sql<boolean>`exists (
  select 1 from ${jamPeople} as person
  where person.jam_uid = ${jams.uid} and person.user_uid = ${userUid}::uuid and person.role = ${role})`

/** The jam, the clock of the database, and what the person is in it. */
export async function findJam(db: Db, ref: string, userUid: string | null) {
  return await one(selectJam(db, ref, userUid))
}

export type FoundJam = NonNullable<Awaited<ReturnType<typeof findJam>>>

/**
 * `share` keeps the jam as it is until the transaction ends, `update` also waits for all who share it. The clock is
 * read when the row is found, so read it again where it matters after waiting.
 */
export async function lockJam(
  tx: Transaction,
  ref: string,
  userUid: string | null,
  strength: 'share' | 'update',
): Promise<FoundJam | undefined> {
  return await one(selectJam(tx, ref, userUid).for(strength, { of: jams }))
}

function selectJam(db: Db, ref: string, userUid: string | null) {
  return db
    .select({
      jam: jams,
      now: sql<Date>`date_trunc('milliseconds', clock_timestamp())`.mapWith(jams.startsAt),
      isHost: hasRole(userUid, 'host'),
      isJudge: hasRole(userUid, 'judge'),
      hasJoined: sql<boolean>`exists (
        select 1 from ${jamMembers} as member
        where member.jam_uid = ${jams.uid} and member.user_uid = ${userUid}::uuid)`,
      hasHosts: sql<boolean>`exists (
        select 1 from ${jamPeople} as person where person.jam_uid = ${jams.uid} and person.role = 'host')`,
    })
    .from(jams)
    .where(isUid(ref) ? eq(jams.uid, ref) : eq(jams.slug, ref))
}

/** The clock by which all processes decide what is in time. */
export async function loadNow(db: Db): Promise<Date> {
  const [row] = await db.execute<{ now: string }>(
    sql`select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as now`,
  )
  if (!row) throw new Error('The database did not tell its time')
  return new Date(row.now)
}

export async function insertChange(tx: Transaction, jamUid: string, text: string): Promise<void> {
  await tx.insert(jamChanges).values({ jamUid, text })
}

/** The newest first. */
export async function listChanges(db: Db, jamUid: string, limit: number) {
  return await db
    .select({ text: jamChanges.text, createdAt: jamChanges.createdAt })
    .from(jamChanges)
    .where(eq(jamChanges.jamUid, jamUid))
    .orderBy(desc(jamChanges.uid))
    .limit(limit)
}

/** Who joined, in that order. */
export async function pageMembers(db: Db, jamUid: string, page: Page) {
  const isOfJam = eq(jamMembers.jamUid, jamUid)
  const ordered = db
    .select({ ...personColumns, since: jamMembers.createdAt })
    .from(jamMembers)
    .innerJoin(users, eq(users.id, jamMembers.userUid))
    .where(isOfJam)
    .orderBy(asc(jamMembers.createdAt), asc(jamMembers.userUid))
  return await pageOf(ordered, db.$count(jamMembers, isOfJam), page)
}

/** Also where the person joined before. Returns whether they had not. */
export async function insertMember(tx: Transaction, jamUid: string, userUid: string): Promise<boolean> {
  return await changed(tx.insert(jamMembers).values({ jamUid, userUid }).onConflictDoNothing())
}

export async function deleteMember(tx: Transaction, jamUid: string, userUid: string): Promise<void> {
  await tx.delete(jamMembers).where(and(eq(jamMembers.jamUid, jamUid), eq(jamMembers.userUid, userUid)))
}

export interface PinnedFile {
  entry_uid: string
  file_uid: string
  build_id: string
  version: string
  os: OperatingSystem
  arch: string
  filename: string
  size: number
  is_playable: boolean
}

/** The files of the versions of these entries, those that a browser opens first. */
export async function listPinnedFiles(db: Db, entryUids: readonly string[]) {
  if (entryUids.length === 0) return []
  return await db.execute<PinnedFile & Record<string, unknown>>(sql`
    select * from (
      select pin.entry_uid, file.uid as file_uid, build.uid as build_id, build.version, build.os, build.arch,
        file.filename, file.size::float8 as size, build.os = 'web' and file.entry_page is not null as is_playable,
        row_number() over (partition by pin.entry_uid
          order by build.os = 'web' and file.entry_page is not null desc, build.os, build.arch, file.uid) as place
      from jam_pins as pin
      join files as file on file.uid = pin.file_uid and file.scan = 'clean'
      join builds as build on build.uid = file.build_uid
      where pin.entry_uid = any(${textList(entryUids)}::uuid[])) as placed
    where place <= ${ENTRY_FILES_MAX} order by entry_uid, place`)
}
