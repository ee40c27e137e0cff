import { and, eq, exists, inArray, isNotNull, isNull, or, sql } from 'drizzle-orm'

import type { Db, Transaction } from '../../../db/client.ts'
import { LOCKS } from '../../../db/locks/locks.ts'
import { licenses } from '../../../db/schema/games/game-players.ts'
import { gameAdmins } from '../../../db/schema/games/game-team.ts'
import { games } from '../../../db/schema/games/games.ts'
import { PAID_SOURCES } from '../../../domain/listings/licenses.ts'
import { isUid } from '../../../lib/ids.ts'

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

export const heldBy = (userUid: string, gameUid: string) =>
  and(eq(licenses.userUid, userUid), eq(licenses.gameUid, gameUid))

/** Without gifts that wait to be accepted. */
const validFor = (userUid: string, gameUid: string) =>
  and(heldBy(userUid, gameUid), eq(licenses.pending, false))

export async function findLicense(
  db: Db,
  userUid: string,
  gameUid: string,
  lock = false,
): Promise<LicenseRow | undefined> {
  const query = db.select().from(licenses).where(validFor(userUid, gameUid))
  const [row] = await (lock ? query.for('update') : query)
  return row
}

export const isPaid = or(inArray(licenses.source, PAID_SOURCES), isNotNull(licenses.orderUid))

/** What this person has to do with the game; undefined if there is no such game. */
export async function findStanding(db: Db, userUid: string, gameUid: string) {
  const isAdmin = and(
    eq(gameAdmins.gameUid, games.uid),
    eq(gameAdmins.userUid, userUid),
    isNotNull(gameAdmins.acceptedAt),
  )
  const [row] = await db
    .select({
      isMaker: sql<boolean>`${games.ownerUid} = ${userUid} or ${exists(db.select().from(gameAdmins).where(isAdmin))}`,
      license: licenses,
      isPaid: sql<boolean>`coalesce(${isPaid}, false)`,
    })
    .from(games)
    .leftJoin(licenses, and(eq(licenses.gameUid, games.uid), eq(licenses.userUid, userUid)))
    .where(eq(games.uid, gameUid))
  return row
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

export type NewLicense = Required<Pick<LicenseRow, 'userUid' | 'gameUid' | 'gameName' | 'source' | 'pending'>>

/** Returns false when there already is one, which stays unchanged, or when the listing is being deleted. */
export async function insertLicense(
  db: Db,
  { userUid, gameUid, gameName, source, pending }: NewLicense,
): Promise<boolean> {
  const rows = await db.execute(sql`
    insert into ${licenses} (user_uid, game_uid, game_name, source, pending)
    select ${userUid}, uid, ${gameName}, ${source}, ${pending} from ${games} where uid = ${gameUid} for key share
    on conflict do nothing returning game_uid`)
  return rows.length > 0
}

/** The owner's gift outlasts what the holder paid: a refund does not end it. What was paid for stays known. */
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
      set source = excluded.source, edition_uid = excluded.edition_uid, order_uid = null, pending = false, hidden_at = null
      where excluded.edition_uid is not null or ${licenses.pending}
    returning game_uid`)
  return rows.length > 0
}

/** What the owner gave on top stays. */
export async function deleteBought(tx: Transaction, userUid: string, gameUid: string): Promise<void> {
  await tx.delete(licenses).where(and(heldBy(userUid, gameUid), eq(licenses.source, 'bought')))
  await tx
    .update(licenses)
    .set({ orderUid: null, editionUid: null })
    .where(and(heldBy(userUid, gameUid), isNotNull(licenses.orderUid)))
}

/** Accepts it if it waits for that, and brings it back into the library. Returns false without any. */
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
  const rows = await db
    .update(licenses)
    .set(values)
    .where(heldBy(userUid, gameUid))
    .returning({ gameUid: licenses.gameUid })
  return rows.length > 0
}

/** Returns false without a licence. */
export async function updateBeta(db: Db, userUid: string, gameUid: string, beta: boolean): Promise<boolean> {
  const rows = await db
    .update(licenses)
    .set({ beta })
    .where(validFor(userUid, gameUid))
    .returning({ gameUid: licenses.gameUid })
  return rows.length > 0
}
