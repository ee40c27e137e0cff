import { and, asc, count, desc, eq, gt, inArray, isNotNull, lte, or, sql } from 'drizzle-orm'

import type { Db, Transaction } from '../../../db/client.ts'
import { users } from '../../../db/schema/accounts.ts'
import { editions } from '../../../db/schema/games/game-pages.ts'
import { licenses, reviews } from '../../../db/schema/games/game-players.ts'
import { gameAdmins } from '../../../db/schema/games/game-team.ts'
import { games, oldVanityNames } from '../../../db/schema/games/games.ts'
import type { Page } from '../../../lib/paging.ts'

export type GameRow = typeof games.$inferSelect
export type GameValues = Partial<typeof games.$inferInsert>

const OLD_NAMES_KEPT = 10

export async function insertGame(db: Db, values: typeof games.$inferInsert): Promise<GameRow> {
  const [row] = await db.insert(games).values(values).returning()
  if (!row) throw new Error('The listing was not stored')
  return row
}

/** Increments the revision, which If-Match is compared with. */
export async function updateGame(db: Db, uid: string, values: GameValues): Promise<GameRow> {
  const [row] = await db
    .update(games)
    .set({ ...values, revision: sql`${games.revision} + 1`, updatedAt: new Date() })
    .where(eq(games.uid, uid))
    .returning()
  if (!row) throw new Error('The listing was not stored')
  return row
}

export async function setTakenDown(
  tx: Transaction,
  uid: string,
  values: Pick<GameRow, 'visibility' | 'takenDown'>,
): Promise<void> {
  await tx.update(games).set(values).where(eq(games.uid, uid))
}

/** Null withdraws it. */
export async function setPendingPublication(
  tx: Transaction,
  uid: string,
  pendingPublication: GameRow['pendingPublication'],
): Promise<GameRow> {
  const [row] = await tx.update(games).set({ pendingPublication }).where(eq(games.uid, uid)).returning()
  if (!row) throw new Error('The listing was not stored')
  return row
}

/** Whether the developer ever had a page that was public, or approved. */
export async function hasPublished(db: Db, ownerUid: string): Promise<boolean> {
  const [row] = await db
    .select({ uid: games.uid })
    .from(games)
    .where(and(eq(games.ownerUid, ownerUid), or(isNotNull(games.publishedAt), isNotNull(games.approvedAt))))
    .limit(1)
  return row !== undefined
}

/** Whether `ancestor` is above `uid`, or is `uid` itself. */
export async function isAncestor(db: Db, ancestor: string, uid: string): Promise<boolean> {
  const rows = await db.execute(sql`
    with recursive above as (
      select uid, parent_uid from ${games} where uid = ${uid}
      union select games.uid, games.parent_uid from ${games} join above on games.uid = above.parent_uid
    ) select 1 from above where uid = ${ancestor}`)
  return rows.length > 0
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

export async function findUsername(db: Db, uid: string): Promise<string> {
  const [row] = await db.select({ username: users.username }).from(users).where(eq(users.id, uid))
  return row?.username ?? ''
}

export interface Counts {
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

export async function listGames(db: Db, userUid: string, page: Page): Promise<GameRow[]> {
  return await db
    .select()
    .from(games)
    .where(ownOrAdministered(db, userUid))
    .orderBy(desc(games.uid))
    .limit(page.page_size)
    .offset(page.offset)
}

export async function countGames(db: Db, userUid: string): Promise<number> {
  const [row] = await db.select({ count: count() }).from(games).where(ownOrAdministered(db, userUid))
  return row?.count ?? 0
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
  const [row] = await db
    .select({ email: users.email, name: users.name, title: games.name, vanityName: games.vanityName })
    .from(games)
    .innerJoin(users, eq(users.id, games.ownerUid))
    .where(eq(games.uid, gameUid))
  return row
}

export async function lockPublicPage(tx: Transaction, uid: string): Promise<GameRow | undefined> {
  const [row] = await tx
    .select()
    .from(games)
    .where(and(eq(games.uid, uid), eq(games.visibility, 'public')))
    .for('no key update')
  return row
}

export async function markWarned(db: Db, uid: string, at: Date): Promise<void> {
  await db.update(games).set({ graceWarnedAt: at }).where(eq(games.uid, uid))
}
