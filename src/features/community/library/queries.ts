import { and, count, desc, eq, inArray, type SQL, sql } from 'drizzle-orm'

import type { Db, Transaction } from '../../../db/client.ts'
import { LOCKS } from '../../../db/locks/locks.ts'
import { users } from '../../../db/schema/accounts.ts'
import { licenses, playTimes } from '../../../db/schema/games/game-players.ts'
import { games } from '../../../db/schema/games/games.ts'
import type { AssetType } from '../../../domain/listings/listing.ts'
import type { Page } from '../../../lib/paging.ts'
import type { LibrarySort } from './model.ts'

/** A licence that is paid for. */
export interface Purchase {
  userUid: string
  gameUid: string
  gameName: string
  editionUid: string | null
  orderUid: string
  paidAt: Date
}

/** A licence for a key. */
export type Redemption = Omit<Purchase, 'orderUid' | 'paidAt'>

export type LicenseRow = typeof licenses.$inferSelect
export type LibraryRow = Awaited<ReturnType<typeof selectLibrary>>[number]
export type HolderRow = Awaited<ReturnType<typeof listHolders>>[number]

const heldBy = (userUid: string, gameUid: string) =>
  and(eq(licenses.userUid, userUid), eq(licenses.gameUid, gameUid))

export async function findLicense(
  db: Db,
  userUid: string,
  gameUid: string,
  lock = false,
): Promise<LicenseRow | undefined> {
  const query = db.select().from(licenses).where(heldBy(userUid, gameUid))
  const [row] = await (lock ? query.for('update') : query)
  return row
}

export type NewLicense = Required<Pick<LicenseRow, 'userUid' | 'gameUid' | 'gameName' | 'source'>>

/** Returns false when there already is one, which stays unchanged, or when the listing is being deleted. */
export async function insertLicense(
  db: Db,
  { userUid, gameUid, gameName, source }: NewLicense,
): Promise<boolean> {
  const rows = await db.execute(sql`
    insert into ${licenses} (user_uid, game_uid, game_name, source)
    select ${userUid}, uid, ${gameName}, ${source} from ${games} where uid = ${gameUid} for key share
    on conflict do nothing returning game_uid`)
  return rows.length > 0
}

/** The owner's gift outlasts what the holder paid: a refund does not end it. */
export async function markGranted(db: Db, userUid: string, gameUid: string): Promise<void> {
  await db
    .update(licenses)
    .set({ source: 'granted', editionUid: null, orderUid: null })
    .where(and(heldBy(userUid, gameUid), eq(licenses.source, 'bought')))
}

export async function lockPair(tx: Transaction, userUid: string, gameUid: string): Promise<void> {
  const pair = `${userUid} ${gameUid}`
  await tx.execute(sql`select pg_advisory_xact_lock(${LOCKS.license}, hashtext(${pair}))`)
}

export async function upsertBought(
  tx: Transaction,
  { userUid, gameUid, gameName, editionUid, orderUid, paidAt }: Purchase,
): Promise<void> {
  await tx.execute(sql`
    insert into ${licenses} (user_uid, game_uid, game_name, source, edition_uid, order_uid, created_at)
    select ${userUid}, uid, ${gameName}, 'bought', ${editionUid}, ${orderUid}, ${paidAt.toISOString()}
    from ${games} where uid = ${gameUid} for key share
    on conflict (user_uid, game_uid) do update set edition_uid = excluded.edition_uid, order_uid = excluded.order_uid
      where ${licenses.source} = 'bought'`)
}

/**
 * Adds an edition to a licence that there is; from then on no refund ends it. Returns false when a key for the listing
 * itself finds a licence, which stays unchanged.
 */
export async function upsertRedeemed(
  tx: Transaction,
  { userUid, gameUid, gameName, editionUid }: Redemption,
): Promise<boolean> {
  const rows = await tx.execute(sql`
    insert into ${licenses} (user_uid, game_uid, game_name, source, edition_uid)
    select ${userUid}, uid, ${gameName}, 'key', ${editionUid} from ${games} where uid = ${gameUid} for key share
    on conflict (user_uid, game_uid) do update
      set source = excluded.source, edition_uid = excluded.edition_uid, order_uid = null
      where excluded.edition_uid is not null
    returning game_uid`)
  return rows.length > 0
}

export async function deleteBought(tx: Transaction, userUid: string, gameUid: string): Promise<void> {
  await tx.delete(licenses).where(and(heldBy(userUid, gameUid), eq(licenses.source, 'bought')))
}

/** Returns false without a licence. */
export async function updateBeta(db: Db, userUid: string, gameUid: string, beta: boolean): Promise<boolean> {
  const rows = await db
    .update(licenses)
    .set({ beta })
    .where(heldBy(userUid, gameUid))
    .returning({ gameUid: licenses.gameUid })
  return rows.length > 0
}

/** The public listings of these types that the player has a licence for. */
export async function listOwnedUids(db: Db, userUid: string, types: readonly AssetType[]): Promise<string[]> {
  const rows = await db
    .select({ uid: games.uid })
    .from(licenses)
    .innerJoin(games, eq(games.uid, licenses.gameUid))
    .where(
      and(
        eq(licenses.userUid, userUid),
        eq(games.visibility, 'public'),
        inArray(games.assetType, [...types]),
      ),
    )
    .orderBy(games.uid)
  return rows.map(({ uid }) => uid)
}

const selectLibrary = (db: Db) =>
  db
    .select({
      game: {
        uid: games.uid,
        vanityName: games.vanityName,
        name: games.name,
        assetType: games.assetType,
        visibility: games.visibility,
      },
      license: licenses,
      playSeconds: playTimes.seconds,
      /** Of all that fit, also those on other pages. */
      total: sql`count(*) over ()`.mapWith(Number),
    })
    .from(licenses)
    .leftJoin(games, eq(games.uid, licenses.gameUid))
    .leftJoin(
      playTimes,
      and(eq(playTimes.userUid, licenses.userUid), eq(playTimes.gameUid, licenses.gameUid)),
    )

export interface LibraryFilter {
  /** Part of the name; empty for everything. */
  text: string
  sort: LibrarySort
}

/** What the holder knows it by: the page's name while that is open, or else the one of the licence. */
const shownName = sql`case when ${games.visibility} in ('public', 'invisible') then ${games.name}
  else coalesce(${licenses.gameName}, '') end`

const isListed = (userUid: string, { text }: LibraryFilter) =>
  and(
    eq(licenses.userUid, userUid),
    text === '' ? undefined : sql`position(lower(${text}) in lower(${shownName})) > 0`,
  )

const ORDERS: Readonly<Record<LibrarySort, SQL>> = {
  newest: desc(licenses.createdAt),
  name: sql`lower(${shownName})`,
  played: sql`${playTimes.seconds} desc nulls last`,
}

export async function listLibrary(
  db: Db,
  userUid: string,
  page: Page,
  filter: LibraryFilter,
): Promise<LibraryRow[]> {
  return await selectLibrary(db)
    .where(isListed(userUid, filter))
    .orderBy(ORDERS[filter.sort], desc(licenses.createdAt), desc(licenses.gameUid))
    .limit(page.page_size)
    .offset(page.offset)
}

export async function findLibraryRow(
  db: Db,
  userUid: string,
  gameUid: string,
): Promise<LibraryRow | undefined> {
  const [row] = await selectLibrary(db).where(heldBy(userUid, gameUid))
  return row
}

export async function countLibrary(db: Db, userUid: string, filter: LibraryFilter): Promise<number> {
  const [row] = await db
    .select({ count: count() })
    .from(licenses)
    .leftJoin(games, eq(games.uid, licenses.gameUid))
    .where(isListed(userUid, filter))
  return row?.count ?? 0
}

const selectHolders = (db: Db) =>
  db
    .select({ username: users.username, source: licenses.source, createdAt: licenses.createdAt })
    .from(licenses)
    .innerJoin(users, eq(users.id, licenses.userUid))

export async function listHolders(db: Db, gameUid: string, page: Page) {
  return await selectHolders(db)
    .where(eq(licenses.gameUid, gameUid))
    .orderBy(desc(licenses.createdAt), desc(licenses.userUid))
    .limit(page.page_size)
    .offset(page.offset)
}

export async function findHolder(db: Db, userUid: string, gameUid: string): Promise<HolderRow | undefined> {
  const [row] = await selectHolders(db).where(heldBy(userUid, gameUid))
  return row
}

export async function countHolders(db: Db, gameUid: string): Promise<number> {
  return await db.$count(licenses, eq(licenses.gameUid, gameUid))
}

export async function findPlaySeconds(db: Db, userUid: string, gameUid: string): Promise<number> {
  const [row] = await db
    .select({ seconds: playTimes.seconds })
    .from(playTimes)
    .where(and(eq(playTimes.userUid, userUid), eq(playTimes.gameUid, gameUid)))
  return row?.seconds ?? 0
}
