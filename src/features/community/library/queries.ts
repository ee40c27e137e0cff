import { and, count, desc, eq, exists, inArray, isNotNull, isNull, or, type SQL, sql } from 'drizzle-orm'

import { changed, type Db, one, type Transaction } from '../../../db/client.ts'
import { LOCKS } from '../../../db/locks/locks.ts'
import { personColumns } from '../../../db/person-columns.ts'
import { users } from '../../../db/schema/accounts.ts'
import { gameAdmins } from '../../../db/schema/games/game-pages.ts'
import { licenses, playTimes } from '../../../db/schema/games/game-players.ts'
import { games } from '../../../db/schema/games/games.ts'
import { type AssetType, PAID_SOURCES } from '../../../domain/listings/listing.ts'
import { isUid } from '../../../lib/ids.ts'
import type { Page } from '../../../lib/paging.ts'
import type { LibraryPart, LibrarySort } from './model.ts'

export type LibraryRow = Awaited<ReturnType<typeof selectLibrary>>[number]
export type HolderRow = Awaited<ReturnType<typeof listHolders>>[number]

/** The public listings of these types that the player has a licence for. */
export async function listOwnedUids(db: Db, userUid: string, types: readonly AssetType[]): Promise<string[]> {
  const rows = await db
    .select({ uid: games.uid })
    .from(licenses)
    .innerJoin(games, eq(games.uid, licenses.gameUid))
    .where(
      and(
        eq(licenses.userUid, userUid),
        eq(licenses.pending, false),
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
        adult: games.adult,
        isTakenDown: sql<boolean>`${games.takenDown} is not null`,
      },
      license: licenses,
      isPaid: sql<boolean>`${isPaid}`,
      playSeconds: playTimes.seconds,
      playedAt: playTimes.playedAt,
      /** Counts all matches, including those on other pages. */
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
  show: LibraryPart
}

/** The name shown to the holder: the page's while it is open, otherwise the one stored with the licence. */
const shownName = sql`case when ${games.visibility} in ('public', 'invisible') then ${games.name}
  else coalesce(${licenses.gameName}, '') end`

const PARTS: Readonly<Record<LibraryPart, SQL | undefined>> = {
  all: isNull(licenses.hiddenAt),
  kept: and(isNull(licenses.hiddenAt), eq(licenses.pending, false)),
  pending: and(isNull(licenses.hiddenAt), eq(licenses.pending, true)),
  hidden: isNotNull(licenses.hiddenAt),
}

const isListed = (userUid: string, { text, show }: LibraryFilter) =>
  and(
    eq(licenses.userUid, userUid),
    // A gift that was not accepted disappears with its listing.
    or(eq(licenses.pending, false), isNull(licenses.removedAt)),
    PARTS[show],
    text === '' ? undefined : sql`position(lower(${text}) in lower(${shownName})) > 0`,
  )

const ORDERS: Readonly<Record<LibrarySort, SQL>> = {
  newest: desc(licenses.createdAt),
  name: sql`lower(${shownName})`,
  played: sql`${playTimes.seconds} desc nulls last`,
  recent: sql`${playTimes.playedAt} desc nulls last`,
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
  return await one(selectLibrary(db).where(heldBy(userUid, gameUid)))
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
    .select({
      person: personColumns,
      source: licenses.source,
      pending: licenses.pending,
      createdAt: licenses.createdAt,
    })
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
  return await one(selectHolders(db).where(heldBy(userUid, gameUid)))
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

/** A licence that is paid for. */
export interface Purchase {
  userUid: string
  gameUid: string
  gameName: string
  editionUid: string | null
  orderUid: string
  paidAt: Date
}

/** A licence from a redeemed key. */
export type Redemption = Omit<Purchase, 'orderUid' | 'paidAt'>

export type LicenseRow = typeof licenses.$inferSelect

const heldBy = (userUid: string, gameUid: string) =>
  and(eq(licenses.userUid, userUid), eq(licenses.gameUid, gameUid))

/** Excludes pending gifts. */
const validFor = (userUid: string, gameUid: string) =>
  and(heldBy(userUid, gameUid), eq(licenses.pending, false))

export async function findLicense(
  db: Db,
  userUid: string,
  gameUid: string,
  lock = false,
): Promise<LicenseRow | undefined> {
  const query = db.select().from(licenses).where(validFor(userUid, gameUid))
  return await one(lock ? query.for('update') : query)
}

const isPaid = or(inArray(licenses.source, PAID_SOURCES), isNotNull(licenses.orderUid))

/** What this person has to do with the game; undefined if there is no such game. */
export async function findRelation(db: Db, userUid: string, gameUid: string) {
  const isAdmin = and(
    eq(gameAdmins.gameUid, games.uid),
    eq(gameAdmins.userUid, userUid),
    isNotNull(gameAdmins.acceptedAt),
  )
  return await one(
    db
      .select({
        isMaker: sql<boolean>`${games.ownerUid} = ${userUid} or ${exists(db.select().from(gameAdmins).where(isAdmin))}`,
        license: licenses,
        isPaid: sql<boolean>`coalesce(${isPaid}, false)`,
      })
      .from(games)
      .leftJoin(licenses, and(eq(licenses.gameUid, games.uid), eq(licenses.userUid, userUid)))
      .where(eq(games.uid, gameUid)),
  )
}

/** The game that this person bought or redeemed, whatever became of its page; not one that was taken down. */
export async function findPaidGame(db: Db, userUid: string, ref: string) {
  const [row] = await db
    .select({ game: games })
    .from(licenses)
    .innerJoin(games, eq(games.uid, licenses.gameUid))
    .where(
      and(
        eq(licenses.userUid, userUid),
        eq(licenses.pending, false),
        isPaid,
        isNull(games.takenDown),
        isUid(ref) ? eq(games.uid, ref) : eq(games.vanityName, ref),
      ),
    )
  return row?.game
}

type NewLicense = Required<Pick<LicenseRow, 'userUid' | 'gameUid' | 'gameName' | 'source' | 'pending'>>

/** Returns false when there already is one, which stays unchanged, or when the listing is being deleted. */
export async function insertLicense(
  db: Db,
  { userUid, gameUid, gameName, source, pending }: NewLicense,
): Promise<boolean> {
  return await changed(
    db.execute(sql`
    insert into ${licenses} (user_uid, game_uid, game_name, source, pending)
    select ${userUid}, uid, ${gameName}, ${source}, ${pending} from ${games} where uid = ${gameUid} for key share
    on conflict do nothing`),
  )
}

/** Turns a bought licence into a granted one, so that a refund does not end it. Its order stays recorded. */
export async function markGranted(db: Db, userUid: string, gameUid: string): Promise<void> {
  await db
    .update(licenses)
    .set({ source: 'granted' })
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
    on conflict (user_uid, game_uid) do update set source = excluded.source, edition_uid = excluded.edition_uid,
      order_uid = excluded.order_uid, pending = false, hidden_at = null
      where ${licenses.source} = 'bought' or ${licenses.pending}`)
}

/**
 * Adds an edition to an existing licence; from then on no refund ends it. Returns false if the key is for the
 * listing itself and there already is a licence, which stays unchanged.
 */
export async function upsertRedeemed(
  tx: Transaction,
  { userUid, gameUid, gameName, editionUid }: Redemption,
): Promise<boolean> {
  return await changed(
    tx.execute(sql`
    insert into ${licenses} (user_uid, game_uid, game_name, source, edition_uid)
    select ${userUid}, uid, ${gameName}, 'key', ${editionUid} from ${games} where uid = ${gameUid} for key share
    on conflict (user_uid, game_uid) do update
      set source = excluded.source, edition_uid = excluded.edition_uid, order_uid = null, pending = false, hidden_at = null
      where excluded.edition_uid is not null or ${licenses.pending}`),
  )
}

/** A licence that the owner granted stays, without the order and its edition. */
export async function deleteBought(tx: Transaction, userUid: string, gameUid: string): Promise<void> {
  await tx.delete(licenses).where(and(heldBy(userUid, gameUid), eq(licenses.source, 'bought')))
  await tx
    .update(licenses)
    .set({ orderUid: null, editionUid: null })
    .where(and(heldBy(userUid, gameUid), isNotNull(licenses.orderUid)))
}

/** Accepts a pending gift and shows the licence in the library again. Returns false without a licence. */
export async function keepLicense(db: Db, userUid: string, gameUid: string): Promise<boolean> {
  return await change(db, userUid, gameUid, { pending: false, hiddenAt: null })
}

/** Null brings it back into the library. Returns false without a licence. */
export async function hideLicense(
  db: Db,
  userUid: string,
  gameUid: string,
  hiddenAt: Date | null,
): Promise<boolean> {
  return await change(db, userUid, gameUid, { hiddenAt })
}

async function change(
  db: Db,
  userUid: string,
  gameUid: string,
  values: Partial<Pick<LicenseRow, 'pending' | 'hiddenAt'>>,
): Promise<boolean> {
  return await changed(db.update(licenses).set(values).where(heldBy(userUid, gameUid)))
}

/** Returns false without a licence. */
export async function updateBeta(db: Db, userUid: string, gameUid: string, beta: boolean): Promise<boolean> {
  return await changed(db.update(licenses).set({ beta }).where(validFor(userUid, gameUid)))
}
