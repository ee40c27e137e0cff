import { and, asc, desc, eq, getTableColumns, ne, type SQL, sql } from 'drizzle-orm'

import { anyOf, type Db, one, pageOf, type Transaction } from '../../../db/client.ts'
import { apps, builds, channelMoves, channelPointers, files } from '../../../db/schema/builds.ts'
import { changelogEntries, releaseNotes } from '../../../db/schema/games/game-pages.ts'
import { STABLE } from '../../../domain/builds/channels.ts'
import { createUid } from '../../../lib/ids.ts'
import type { Page, Paged } from '../../../lib/paging.ts'

export type PointerRow = Awaited<ReturnType<typeof selectPointers>>[number]
type NewMove = typeof channelMoves.$inferInsert & { uid: string; toBuildUid: string }

/** What a pointer belongs to: one platform of one channel of one app. */
export type Slot = Pick<typeof builds.$inferSelect, 'gameUid' | 'appUid' | 'channel' | 'os' | 'arch'>

const BUILDS_COMPARED = 1000

const hasCleanFile = sql`exists (
  select 1 from ${files} where ${files.buildUid} = ${builds.uid} and ${files.scan} = 'clean')`

const ofSlot = ({ appUid, channel, os, arch }: Slot) =>
  and(
    eq(channelPointers.appUid, appUid),
    eq(channelPointers.channel, channel),
    eq(channelPointers.os, os),
    eq(channelPointers.arch, arch),
  )

export async function findAppUid(db: Db, gameUid: string, slug: string): Promise<string | undefined> {
  const [row] = await db
    .select({ uid: apps.uid })
    .from(apps)
    .where(and(eq(apps.gameUid, gameUid), eq(apps.slug, slug)))
  return row?.uid
}

/** Only the newest upload of each filename counts: earlier ones are replaced, or never became clean. */
export async function isCleanBuild(db: Db, buildUid: string): Promise<boolean> {
  const newest = db
    .selectDistinctOn([files.filename], { scan: files.scan })
    .from(files)
    .where(eq(files.buildUid, buildUid))
    .orderBy(files.filename, desc(files.uploadedAt), desc(files.uid))
    .as('newest')
  const [row] = await db
    .select({ isClean: sql<boolean | null>`bool_and(${newest.scan} = 'clean')` })
    .from(newest)
  return row?.isClean ?? false
}

const selectPointers = (db: Db) =>
  db
    .select({
      pointer: channelPointers,
      app: apps.slug,
      appName: apps.name,
      build: { uid: builds.uid, version: builds.version, createdAt: builds.createdAt },
      move: {
        kind: channelMoves.kind,
        movedBy: channelMoves.movedBy,
        fromBuildUid: channelMoves.fromBuildUid,
      },
      originUid: originOf(channelMoves),
    })
    .from(channelPointers)
    .innerJoin(apps, eq(apps.uid, channelPointers.appUid))
    .innerJoin(builds, eq(builds.uid, channelPointers.buildUid))
    .innerJoin(channelMoves, eq(channelMoves.uid, channelPointers.moveUid))

/** The move that first brought the build to the channel; a move that restores a build has it as its parent. */
function originOf({ kind, uid, parentUid }: Pick<typeof channelMoves, 'kind' | 'uid' | 'parentUid'>) {
  return sql<string>`case when ${kind} in ('rollback', 'fallback') then coalesce(${parentUid}, ${uid}) else ${uid} end`
}

export async function findPointer(db: Db, slot: Slot): Promise<PointerRow | undefined> {
  return await one(selectPointers(db).where(ofSlot(slot)))
}

export async function listPointersOfChannel(db: Db, appUid: string, channel: string): Promise<PointerRow[]> {
  return await selectPointers(db).where(
    and(eq(channelPointers.appUid, appUid), eq(channelPointers.channel, channel)),
  )
}

export async function listPointersAt(db: Db, buildUid: string): Promise<PointerRow[]> {
  return await selectPointers(db).where(eq(channelPointers.buildUid, buildUid))
}

export async function listPointers(db: Db, gameUid: string, page: Page): Promise<Paged<PointerRow>> {
  const of = eq(channelPointers.gameUid, gameUid)
  const { channel, os, arch } = channelPointers
  const query = selectPointers(db).where(of).orderBy(asc(apps.slug), asc(channel), asc(os), asc(arch))
  return await pageOf(query, db.$count(channelPointers, of), page)
}

export async function listMoves(db: Db, gameUid: string, page: Page) {
  const of = eq(channelMoves.gameUid, gameUid)
  const query = db
    .select({ ...getTableColumns(channelMoves), app: apps.slug, appName: apps.name })
    .from(channelMoves)
    .innerJoin(apps, eq(apps.uid, channelMoves.appUid))
    .where(of)
    .orderBy(desc(channelMoves.uid))
  return await pageOf(query, db.$count(channelMoves, of), page)
}

/** Inserts the moves and updates the pointers. */
export async function storeMoves(tx: Transaction, moves: readonly NewMove[]): Promise<void> {
  if (moves.length === 0) return
  const movedAt = new Date()
  await tx.insert(channelMoves).values(moves.map((move) => ({ ...move, createdAt: movedAt })))
  await tx
    .insert(channelPointers)
    .values(
      moves.map(({ uid, gameUid, appUid, channel, os, arch, toBuildUid }) => ({
        gameUid,
        appUid,
        channel,
        os,
        arch,
        movedAt,
        buildUid: toBuildUid,
        moveUid: uid,
      })),
    )
    .onConflictDoUpdate({
      target: [channelPointers.appUid, channelPointers.channel, channelPointers.os, channelPointers.arch],
      set: { buildUid: sql`excluded.build_uid`, moveUid: sql`excluded.move_uid`, movedAt },
    })
}

export async function deletePointers(tx: Transaction, moveUids: readonly string[]): Promise<void> {
  await tx.delete(channelPointers).where(anyOf(channelPointers.moveUid, moveUids))
}

export interface EarlierBuild {
  moveUid: string
  /** The move that brought the earlier build to the channel. */
  originUid: string
  buildUid: string
  version: string
}

/** For each move the nearest earlier build that still exists and can be downloaded. */
export async function findEarlierBuilds(db: Db, moveUids: readonly string[]): Promise<EarlierBuild[]> {
  if (moveUids.length === 0) return []
  return [
    ...(await db.execute<EarlierBuild & Record<string, unknown>>(sql`
      with recursive chain as (
        select uid as start_uid, to_build_uid as start_build_uid, uid, parent_uid, 0 as steps
        from ${channelMoves} where ${anyOf(channelMoves.uid, moveUids)}
        union all
        select chain.start_uid, chain.start_build_uid, before.uid, before.parent_uid, chain.steps + 1
        from chain join ${channelMoves} as before on before.uid = chain.parent_uid
      )
      select distinct on (chain.start_uid) chain.start_uid as "moveUid", ${originOf(channelMoves)} as "originUid",
        ${builds.uid} as "buildUid", ${builds.version} as version
      from chain
      join ${channelMoves} on ${channelMoves.uid} = chain.uid
      join ${builds} on ${builds.uid} = ${channelMoves.toBuildUid}
      where chain.steps > 0 and ${builds.uid} <> chain.start_build_uid and ${hasCleanFile}
      order by chain.start_uid, chain.steps`)),
  ]
}

/** Downloadable builds registered for this slot, the latest registration first. */
export async function listCleanBuilds(db: Db, slot: Slot, butUid: string) {
  return await db
    .select({ uid: builds.uid, version: builds.version, createdAt: builds.createdAt })
    .from(builds)
    .where(
      and(
        eq(builds.appUid, slot.appUid),
        eq(builds.channel, slot.channel),
        eq(builds.os, slot.os),
        eq(builds.arch, slot.arch),
        ne(builds.uid, butUid),
        hasCleanFile,
      ),
    )
    .orderBy(desc(builds.uid))
    .limit(BUILDS_COMPARED)
}

type Notes = Pick<typeof changelogEntries.$inferSelect, 'gameUid' | 'title' | 'body' | 'items'> & {
  version: string
}

/** Whether the build was ever on stable, and whether any build of its app was. */
export async function findStablePast(
  tx: Transaction,
  { uid, appUid }: { uid: string; appUid: string },
): Promise<{ ofBuild: boolean; ofApp: boolean }> {
  const ever = (of: SQL) =>
    sql<boolean>`exists (select 1 from ${channelMoves} where ${channelMoves.channel} = ${STABLE} and ${of})`
  const [row] = await tx.execute<{ of_build: boolean; of_app: boolean }>(sql`
    select ${ever(eq(channelMoves.toBuildUid, uid))} as of_build, ${ever(eq(channelMoves.appUid, appUid))} as of_app`)
  return { ofBuild: row?.of_build ?? false, ofApp: row?.of_app ?? false }
}

/** Does nothing if this version already created its changelog entry. */
export async function insertNotes(
  tx: Transaction,
  { gameUid, version, title, body, items }: Notes,
): Promise<void> {
  await tx.execute(sql`
    with written as (
      insert into ${releaseNotes} (game_uid, version, entry_uid)
      values (${gameUid}, ${version}, ${createUid()})
      on conflict do nothing returning entry_uid
    )
    insert into ${changelogEntries} (uid, game_uid, title, body, version, items)
    select entry_uid, ${gameUid}::uuid, ${title}, ${body}, ${version}, ${JSON.stringify(items)}::text::jsonb from written`)
}
