import { and, asc, desc, eq, exists, gt, inArray, isNotNull, isNull, lt, or, sql } from 'drizzle-orm'

import {
  changed,
  countChanged,
  type Db,
  hasRows,
  inserted,
  one,
  pageOf,
  type Transaction,
} from '../../../db/client.ts'
import { builds, symbols } from '../../../db/schema/builds.ts'
import { games } from '../../../db/schema/games/games.ts'
import {
  crashDevices,
  crashes,
  crashGroups,
  crashQuotas,
  crashVersions,
  launchDevices,
} from '../../../db/schema/telemetry.ts'
import type { StackFrame } from '../../../domain/builds/health.ts'
import type { Page } from '../../../lib/paging.ts'

const VERSIONS_SHOWN = 20
/** Stands for the game as a whole; no network has this number. */
const WHOLE_GAME = 0n
const NOTHING: Spent = { kinds: 0, logs: 0, bytes: 0 }

export type NewCrash = typeof crashes.$inferInsert
type NewGroup = typeof crashGroups.$inferInsert

/** The group of this signature, made on first use and held until the transaction ends. */
export async function lockGroup(tx: Transaction, values: NewGroup): Promise<string> {
  const { uid } = await inserted(
    tx
      .insert(crashGroups)
      .values(values)
      .onConflictDoUpdate({
        target: [crashGroups.gameUid, crashGroups.signature],
        set: { signature: values.signature },
      })
      .returning({ uid: crashGroups.uid }),
  )
  return uid
}

/** Returns false when this report is already stored. */
export async function insertCrash(tx: Transaction, values: NewCrash): Promise<boolean> {
  return await changed(tx.insert(crashes).values(values).onConflictDoNothing({ target: crashes.sentKey }))
}

export async function findCrashByKey(db: Db, sentKey: string): Promise<string | undefined> {
  const row = await one(db.select({ uid: crashes.uid }).from(crashes).where(eq(crashes.sentKey, sentKey)))
  return row?.uid
}

export async function hasGroup(db: Db, gameUid: string, signature: string): Promise<boolean> {
  return await hasRows(
    db
      .select({ uid: crashGroups.uid })
      .from(crashGroups)
      .where(and(eq(crashGroups.gameUid, gameUid), eq(crashGroups.signature, signature))),
  )
}

/** Returns true when the device is new to the group. Ignores devices that are not recorded for the build. */
export async function insertDevice(
  tx: Transaction,
  { groupUid, buildUid, deviceId }: Pick<NewCrash, 'groupUid' | 'buildUid' | 'deviceId'>,
): Promise<boolean> {
  return await changed(
    tx.execute(sql`
    insert into ${crashDevices} (group_uid, device_id)
    select ${groupUid}::uuid, device_id from ${launchDevices}
    where build_uid = ${buildUid} and device_id = ${deviceId}
    on conflict do nothing`),
  )
}

export async function insertVersion(tx: Transaction, groupUid: string, version: string): Promise<void> {
  await tx.insert(crashVersions).values({ groupUid, version }).onConflictDoNothing()
}

/** A newer build's stack replaces the one that is shown. */
export async function countCrash(
  tx: Transaction,
  { groupUid, buildUid, at, frames }: NewCrash,
  isNewDevice: boolean,
): Promise<void> {
  await tx
    .update(crashGroups)
    .set({
      count: sql`${crashGroups.count} + 1`,
      devices: sql`${crashGroups.devices} + ${isNewDevice ? 1 : 0}`,
      firstAt: sql`least(${crashGroups.firstAt}, ${at.toISOString()})`,
      lastAt: sql`greatest(${crashGroups.lastAt}, ${at.toISOString()})`,
    })
    .where(eq(crashGroups.uid, groupUid))
  await tx
    .update(crashGroups)
    .set({ buildUid, frames, stack: null, symbolicatedAt: null })
    .where(
      and(
        eq(crashGroups.uid, groupUid),
        sql`(${crashGroups.buildUid} is null or ${crashGroups.buildUid} < ${buildUid})`,
      ),
    )
}

/** Deletes expired reports and all but the newest of each group; returns how many. */
export async function deleteOldCrashes(db: Db, before: Date, kept: number, limit: number): Promise<number> {
  return await countChanged(
    db.execute(sql`
    delete from ${crashes} where uid in (
      select uid from (
        select uid, created_at, row_number() over (partition by group_uid order by uid desc) as place from ${crashes}
      ) as ranked
      where place > ${kept} or created_at < ${before.toISOString()} limit ${limit}
    )`),
  )
}

export async function deleteOldGroups(db: Db, before: Date, limit: number): Promise<number> {
  const old = db
    .select({ uid: crashGroups.uid })
    .from(crashGroups)
    .where(lt(crashGroups.lastAt, before))
    .limit(limit)
  return await countChanged(db.delete(crashGroups).where(inArray(crashGroups.uid, old)))
}

export type GroupRow = Awaited<ReturnType<typeof listGroups>>['items'][number]
export type CrashRow = NonNullable<Awaited<ReturnType<typeof findCrash>>>

/** Seen in one build, or in any build of the game. */
interface Which {
  gameUid: string
  buildUid: string | undefined
}

/** A report names its build; the counts of a group do not. */
const seenIn = (db: Db, { gameUid, buildUid }: Which) => {
  const reports = (uid: string) =>
    db
      .select({ uid: crashes.uid })
      .from(crashes)
      .where(and(eq(crashes.groupUid, crashGroups.uid), eq(crashes.buildUid, uid)))
  return and(eq(crashGroups.gameUid, gameUid), buildUid === undefined ? undefined : exists(reports(buildUid)))
}

/** Most recently seen first. */
export async function listGroups(db: Db, which: Which, page: Page) {
  const newest = db
    .select({
      group: crashGroups,
      versions: sql<string[]>`array(
        select version from ${crashVersions} where group_uid = ${crashGroups}.uid order by version desc limit ${VERSIONS_SHOWN})`,
      crashUid: sql<string | null>`(
        select uid from ${crashes} where group_uid = ${crashGroups}.uid order by uid desc limit 1)`,
    })
    .from(crashGroups)
    .where(seenIn(db, which))
    .orderBy(desc(crashGroups.lastAt), desc(crashGroups.uid))
  return await pageOf(newest, db.$count(crashGroups, seenIn(db, which)), page)
}

/** How many kinds of crash each version had. */
export async function countKinds(db: Db, gameUid: string) {
  return await db
    .select({ version: crashVersions.version, kinds: sql<number>`count(*)::int` })
    .from(crashVersions)
    .innerJoin(crashGroups, eq(crashGroups.uid, crashVersions.groupUid))
    .where(eq(crashGroups.gameUid, gameUid))
    .groupBy(crashVersions.version)
}

export async function findCrash(db: Db, gameUid: string, uid: string) {
  return await one(
    db
      .select({ crash: crashes, signature: crashGroups.signature, version: builds.version })
      .from(crashes)
      .innerJoin(crashGroups, eq(crashGroups.uid, crashes.groupUid))
      .innerJoin(builds, eq(builds.uid, crashes.buildUid))
      .where(and(eq(crashes.uid, uid), eq(crashGroups.gameUid, gameUid))),
  )
}

export interface Spent {
  kinds: number
  logs: number
  bytes: number
}

/** A game or network, and the day. */
export interface QuotaOwner {
  gameUid: string
  day: string
  network: string | null
}

const networksOf = ({ network }: QuotaOwner) =>
  network === null ? [WHOLE_GAME] : [WHOLE_GAME, BigInt(network)]

/** Serialises the reports of one game until the transaction ends. */
export async function lockQuota(
  tx: Transaction,
  owner: QuotaOwner,
): Promise<{ ofGame: Spent; ofNetwork: Spent }> {
  const { gameUid, day } = owner
  const rows = await tx
    .insert(crashQuotas)
    .values(networksOf(owner).map((network) => ({ gameUid, day, network })))
    .onConflictDoUpdate({
      target: [crashQuotas.gameUid, crashQuotas.day, crashQuotas.network],
      set: { day },
    })
    .returning()
  const ofGame = rows.find(({ network }) => network === WHOLE_GAME)
  const ofNetwork = rows.find(({ network }) => network !== WHOLE_GAME)
  return { ofGame: ofGame ?? NOTHING, ofNetwork: ofNetwork ?? NOTHING }
}

export async function spendQuota(
  tx: Transaction,
  owner: QuotaOwner,
  { kinds, logs, bytes }: Spent,
): Promise<void> {
  await tx
    .update(crashQuotas)
    .set({
      kinds: sql`${crashQuotas.kinds} + ${kinds}`,
      logs: sql`${crashQuotas.logs} + ${logs}`,
      bytes: sql`${crashQuotas.bytes} + ${bytes}`,
    })
    .where(
      and(
        eq(crashQuotas.gameUid, owner.gameUid),
        eq(crashQuotas.day, owner.day),
        inArray(crashQuotas.network, networksOf(owner)),
      ),
    )
}

export async function deleteOldCrashQuotas(db: Db, before: string): Promise<void> {
  await db.delete(crashQuotas).where(lt(crashQuotas.day, before))
}

export type UnreadGroup = Awaited<ReturnType<typeof listUnreadGroups>>[number]

/** Groups whose build got symbols after their stack was last symbolicated. */
function isUnread(db: Db) {
  const newer = db
    .select({ one: sql`1` })
    .from(symbols)
    .where(
      and(
        eq(symbols.buildUid, crashGroups.buildUid),
        or(isNull(crashGroups.symbolicatedAt), gt(symbols.createdAt, crashGroups.symbolicatedAt)),
      ),
    )
  return and(isNotNull(crashGroups.buildUid), sql`exists ${newer}`)
}

/** Listings with such groups; those that wait longest come first. */
export async function listUnreadGames(db: Db, limit: number) {
  return await db
    .select({ gameUid: crashGroups.gameUid, ownerUid: games.ownerUid })
    .from(crashGroups)
    .innerJoin(games, eq(games.uid, crashGroups.gameUid))
    .where(isUnread(db))
    .groupBy(crashGroups.gameUid, games.ownerUid)
    .orderBy(sql`min(coalesce(${crashGroups.symbolicatedAt}, ${crashGroups.firstAt}))`)
    .limit(limit)
}

export async function listUnreadGroups(db: Db, gameUid: string, limit: number) {
  return await db
    .select({
      uid: crashGroups.uid,
      buildUid: sql<string>`${crashGroups.buildUid}`,
      frames: crashGroups.frames,
    })
    .from(crashGroups)
    .where(and(eq(crashGroups.gameUid, gameUid), isUnread(db)))
    .orderBy(asc(crashGroups.buildUid), asc(crashGroups.uid))
    .limit(limit)
}

export async function listSymbolFiles(db: Db, buildUid: string, limit: number) {
  return await db
    .select({ module: symbols.module, objectKey: symbols.objectKey, size: symbols.size })
    .from(symbols)
    .where(eq(symbols.buildUid, buildUid))
    .orderBy(desc(symbols.uid))
    .limit(limit)
}

/** Does nothing if the group shows the stack of another build by now. */
export async function storeStack(
  db: Db,
  { uid, buildUid }: UnreadGroup,
  stack: StackFrame[],
  symbolicatedAt: Date,
): Promise<void> {
  await db
    .update(crashGroups)
    .set({ stack, symbolicatedAt })
    .where(and(eq(crashGroups.uid, uid), eq(crashGroups.buildUid, buildUid)))
}
