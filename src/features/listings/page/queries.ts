import { and, asc, desc, eq, gt, inArray, isNotNull, lte, or, type SQL, sql } from 'drizzle-orm'

import { anyOf, type Db, hasRows, inserted, one, pageOf, type Transaction } from '../../../db/client.ts'
import { personColumns } from '../../../db/person-columns.ts'
import { users } from '../../../db/schema/accounts.ts'
import { editions, gameAdmins } from '../../../db/schema/games/game-pages.ts'
import { licenses, reviews } from '../../../db/schema/games/game-players.ts'
import { gameDependencies, gameSimilarTitles } from '../../../db/schema/games/game-relations.ts'
import { games, oldVanityNames } from '../../../db/schema/games/games.ts'
import { noticeEvents } from '../../../db/schema/notices.ts'
import { searchChanges } from '../../../db/schema/search.ts'
import type { DependencyKind } from '../../../domain/listings/listing.ts'
import { OPEN_VISIBILITIES } from '../../../domain/listings/visibility.ts'
import { isUid } from '../../../lib/ids.ts'
import type { Page, Paged } from '../../../lib/paging.ts'

export type GameRow = typeof games.$inferSelect
export type GameValues = Partial<typeof games.$inferInsert>

const OLD_NAMES_KEPT = 10

export async function insertGame(db: Db, values: typeof games.$inferInsert): Promise<GameRow> {
  return await inserted(db.insert(games).values(values).returning())
}

/** Increments the revision, which If-Match is compared with. */
export async function updateGame(db: Db, uid: string, values: GameValues): Promise<GameRow> {
  return await inserted(
    db
      .update(games)
      .set({ ...values, revision: sql`${games.revision} + 1`, updatedAt: new Date() })
      .where(eq(games.uid, uid))
      .returning(),
  )
}

export async function setTakenDown(
  tx: Transaction,
  uid: string,
  values: Pick<GameRow, 'visibility' | 'takenDown'>,
): Promise<void> {
  await tx.update(games).set(values).where(eq(games.uid, uid))
}

/** Null withdraws the pending publication. */
export async function setPendingPublication(
  tx: Transaction,
  uid: string,
  pendingPublication: GameRow['pendingPublication'],
): Promise<GameRow> {
  return await inserted(tx.update(games).set({ pendingPublication }).where(eq(games.uid, uid)).returning())
}

/** Whether the developer ever had a page that was public, or approved. */
export async function hasPublished(db: Db, ownerUid: string): Promise<boolean> {
  return await hasRows(
    db
      .select({ uid: games.uid })
      .from(games)
      .where(and(eq(games.ownerUid, ownerUid), or(isNotNull(games.publishedAt), isNotNull(games.approvedAt))))
      .limit(1),
  )
}

/** Whether `ancestor` is above `uid`, or is `uid` itself. */
export async function isAncestor(db: Db, ancestor: string, uid: string): Promise<boolean> {
  return await hasRows(
    db.execute(sql`
    with recursive above as (
      select uid, parent_uid from ${games} where uid = ${uid}
      union select games.uid, games.parent_uid from ${games} join above on games.uid = above.parent_uid
    ) select 1 from above where uid = ${ancestor}`),
  )
}

/**
 * Returns whether the name is available for this listing. Locks the name until the transaction ends, because current
 * and old names are in two tables that no constraint spans.
 */
export async function reserveName(tx: Transaction, name: string, gameUid: string): Promise<boolean> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('vanity:' || ${name}, 0))`)
  const taken = await tx.execute(sql`
    select 1 from ${games} where vanity_name = ${name} and uid <> ${gameUid}
    union all select 1 from ${oldVanityNames} where name = ${name} and game_uid <> ${gameUid}`)
  return taken.length === 0
}

/** The old name redirects here from now on; only the newest old names are stored. */
export async function keepOldName(
  tx: Transaction,
  gameUid: string,
  old: string,
  current: string,
): Promise<void> {
  await tx.delete(oldVanityNames).where(eq(oldVanityNames.name, current))
  await tx.insert(oldVanityNames).values({ name: old, gameUid })
  const kept = tx
    .select({ name: oldVanityNames.name })
    .from(oldVanityNames)
    .where(eq(oldVanityNames.gameUid, gameUid))
    .orderBy(desc(oldVanityNames.createdAt))
    .limit(OLD_NAMES_KEPT)
  await tx
    .delete(oldVanityNames)
    .where(and(eq(oldVanityNames.gameUid, gameUid), sql`${oldVanityNames.name} not in (${kept})`))
}

export async function findPerson(db: Db, uid: string) {
  return await inserted(db.select(personColumns).from(users).where(eq(users.id, uid)))
}

interface Counts {
  admins: number
  editions: number
  children: number
  licenses: number
  reviews: number
}

export async function countParts(db: Db, uid: string): Promise<Counts> {
  const [row] = await db
    .select({
      admins: db.$count(gameAdmins, and(eq(gameAdmins.gameUid, uid), isNotNull(gameAdmins.acceptedAt))),
      editions: db.$count(editions, eq(editions.gameUid, uid)),
      children: sql<number>`(select count(*)::int from ${games} as child where child.parent_uid = ${uid})`,
      licenses: db.$count(licenses, eq(licenses.gameUid, uid)),
      reviews: db.$count(reviews, eq(reviews.gameUid, uid)),
    })
    .from(games)
    .where(eq(games.uid, uid))
  return row ?? { admins: 0, editions: 0, children: 0, licenses: 0, reviews: 0 }
}

function ownOrAdministered(db: Db, userUid: string) {
  const administered = db
    .select({ uid: gameAdmins.gameUid })
    .from(gameAdmins)
    .where(and(eq(gameAdmins.userUid, userUid), isNotNull(gameAdmins.acceptedAt)))
  return or(eq(games.ownerUid, userUid), inArray(games.uid, administered))
}

export async function pageGames(db: Db, userUid: string, page: Page): Promise<Paged<GameRow>> {
  const isTheirs = ownOrAdministered(db, userUid)
  const rows = db.select().from(games).where(isTheirs).orderBy(desc(games.uid))
  return await pageOf(rows, db.$count(games, isTheirs), page)
}

export async function countDrafts(db: Db, ownerUid: string): Promise<number> {
  return await db.$count(games, and(eq(games.ownerUid, ownerUid), eq(games.visibility, 'draft')))
}

/** Pages that were public when the grace period began and still are, in the order of their uids. */
export async function listGracePages(
  db: Db,
  start: Date,
  after: string,
  limit: number,
): Promise<{ uid: string }[]> {
  return await db
    .select({ uid: games.uid })
    .from(games)
    .where(and(eq(games.visibility, 'public'), lte(games.publicSince, start), gt(games.uid, after)))
    .orderBy(asc(games.uid))
    .limit(limit)
}

export async function findOwnerAddress(db: Db, gameUid: string) {
  return await one(
    db
      .select({ email: users.email, name: users.name, title: games.name, vanityName: games.vanityName })
      .from(games)
      .innerJoin(users, eq(users.id, games.ownerUid))
      .where(eq(games.uid, gameUid)),
  )
}

export async function lockPublicPage(tx: Transaction, uid: string): Promise<GameRow | undefined> {
  return await one(
    tx
      .select()
      .from(games)
      .where(and(eq(games.uid, uid), eq(games.visibility, 'public')))
      .for('no key update'),
  )
}

export async function markWarned(db: Db, uid: string, at: Date): Promise<void> {
  await db.update(games).set({ graceWarnedAt: at }).where(eq(games.uid, uid))
}

/** Deletes everything that belongs to the listing too, except the licences. */
export async function deleteGame(tx: Transaction, uid: string): Promise<void> {
  await tx.delete(games).where(eq(games.uid, uid))
}

/** Stores the name of the listing with the licences, so that their holders still see it. */
export async function endLicenses(tx: Transaction, game: { uid: string; name: string }): Promise<void> {
  await tx
    .update(licenses)
    .set({ removedAt: new Date(), gameName: sql`coalesce(${licenses.gameName}, ${game.name})` })
    .where(eq(licenses.gameUid, game.uid))
}

interface Orphan {
  title: string
  vanityName: string
  ownerUid: string
  email: string
  name: string
}

/** Turns the parent of all children into an external one. Returns the children with their owners. */
export async function moveParentOutside(
  tx: Transaction,
  uid: string,
  { name, url }: { name: string; url: string },
): Promise<Orphan[]> {
  return await tx
    .update(games)
    .set({
      parentUid: null,
      parentExternalName: name,
      parentExternalUrl: url,
      revision: sql`${games.revision} + 1`,
    })
    .from(users)
    .where(sql`${games.parentUid} = ${uid} and ${users.id} = ${games.ownerUid}`)
    .returning({
      title: games.name,
      vanityName: games.vanityName,
      ownerUid: games.ownerUid,
      email: users.email,
      name: users.name,
    })
}

/** One statement, however many pages there are: all of them are hidden when it commits. */
export async function hideAdult(tx: Transaction, reason: string): Promise<void> {
  await tx.execute(sql`
    with hidden as (
      update ${games} set visibility = 'owner', taken_down = jsonb_build_object(
        'at', ${new Date().toISOString()}::text, 'reason', ${reason}::text, 'visibility', visibility,
        'policy', 'adult_content')
      where adult and taken_down is null and visibility = any(${sql.param([...OPEN_VISIBILITIES])}::text[])
      returning uid, owner_uid),
    told as (${insertActs('hidden', 'Hidden', reason)})
    insert into ${searchChanges} (game_uid) select uid from hidden`)
}

export async function showAdult(tx: Transaction, reason: string): Promise<void> {
  await tx.execute(sql`
    with shown as (
      update ${games} set visibility = taken_down ->> 'visibility', taken_down = null
      where taken_down ->> 'policy' = 'adult_content'
      returning uid, owner_uid),
    told as (${insertActs('shown', 'Shown again', reason)})
    insert into ${searchChanges} (game_uid) select uid from shown`)
}

/** Tells the owners of many listings what operators did to them, in the statement that does it. */
function insertActs(from: 'hidden' | 'shown', title: string, text: string): SQL {
  return sql`insert into ${noticeEvents} (uid, kind, game_uid, user_uid, facts)
    select gen_random_uuid(), 'operator', uid, owner_uid, jsonb_build_object('title', ${title}::text, 'text', ${text}::text)
    from ${sql.identifier(from)}`
}

const ref = {
  uid: games.uid,
  vanity_name: games.vanityName,
  name: games.name,
  asset_type: games.assetType,
}

/** The public listings among these uids and vanity names. */
export async function findPublicGames(db: Db, refs: readonly string[]) {
  const uids = refs.filter(isUid)
  const names = refs.filter((name) => !isUid(name))
  return await db
    .select(ref)
    .from(games)
    .where(and(eq(games.visibility, 'public'), or(anyOf(games.uid, uids), anyOf(games.vanityName, names))))
}

export async function listDependencies(db: Db, gameUid: string) {
  return await db
    .select({ kind: gameDependencies.kind, ...ref })
    .from(gameDependencies)
    .innerJoin(games, eq(games.uid, gameDependencies.targetUid))
    .where(and(eq(gameDependencies.gameUid, gameUid), eq(games.visibility, 'public')))
    .orderBy(asc(gameDependencies.position))
}

export async function listSimilarTitles(db: Db, gameUid: string) {
  return await db
    .select(ref)
    .from(gameSimilarTitles)
    .innerJoin(games, eq(games.uid, gameSimilarTitles.similarUid))
    .where(and(eq(gameSimilarTitles.gameUid, gameUid), eq(games.visibility, 'public')))
    .orderBy(asc(gameSimilarTitles.position))
}

export async function replaceDependencies(
  tx: Transaction,
  gameUid: string,
  links: readonly { kind: DependencyKind; targetUid: string }[],
): Promise<void> {
  await tx.delete(gameDependencies).where(eq(gameDependencies.gameUid, gameUid))
  const rows = links.map((link, position) => ({ ...link, gameUid, position }))
  if (rows.length > 0) await tx.insert(gameDependencies).values(rows)
}

export async function replaceSimilarTitles(
  tx: Transaction,
  gameUid: string,
  similarUids: readonly string[],
): Promise<void> {
  await tx.delete(gameSimilarTitles).where(eq(gameSimilarTitles.gameUid, gameUid))
  const rows = similarUids.map((similarUid, position) => ({ gameUid, similarUid, position }))
  if (rows.length > 0) await tx.insert(gameSimilarTitles).values(rows)
}
