import { eq, lte, sql } from 'drizzle-orm'

import type { Db, Transaction } from '../../db/client.ts'
import { users } from '../../db/schema/accounts.ts'
import { bugScreenshots } from '../../db/schema/bugs.ts'
import { files, symbols } from '../../db/schema/builds.ts'
import { images } from '../../db/schema/games/game-pages.ts'
import { games } from '../../db/schema/games/games.ts'
import { storageReservations, uploadSessions } from '../../db/schema/uploads.ts'
import { createUid } from '../../lib/ids.ts'

type NewReservation = typeof storageReservations.$inferInsert

export async function findOwner(db: Db, gameUid: string): Promise<string | undefined> {
  const [row] = await db.select({ ownerUid: games.ownerUid }).from(games).where(eq(games.uid, gameUid))
  return row?.ownerUid
}

/** Until the transaction ends. */
export async function lockStorage(tx: Transaction, ownerUid: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`storage of ${ownerUid}`}, 0))`)
}

/** From the rows, which are exact whatever was deleted. Refused files have no bytes; open sessions count whole. */
export async function readUse(db: Db, ownerUid: string): Promise<{ used: number; limit: number | null }> {
  const own = sql`game_uid in (select uid from ${games} where owner_uid = ${ownerUid})`
  const [row] = await db.execute<{ used: string; storage_limit: string | null }>(sql`
    select (select storage_limit from ${users} where id = ${ownerUid}) as storage_limit, sum(bytes)::text as used from (
      select coalesce(sum(size), 0) as bytes from ${files} where scan in ('clean', 'scanning') and ${own}
      union all select coalesce(sum(size), 0) from ${symbols} where ${own}
      union all select coalesce(sum(size), 0) from ${images} where ${own}
      union all select coalesce(sum(size), 0) from ${bugScreenshots} where ${own}
      union all select coalesce(sum(total_size), 0) from ${uploadSessions}
        where file_uid is null and expires_at > now() and ${own}
      union all select coalesce(sum(bytes), 0) from ${storageReservations}
        where owner_uid = ${ownerUid} and expires_at > now()
    ) as stored`)
  const limit = row?.storage_limit ?? null
  return { used: Number(row?.used ?? 0), limit: limit === null ? null : Number(limit) }
}

export async function insertReservation(db: Db, values: NewReservation): Promise<string> {
  const uid = createUid()
  await db.insert(storageReservations).values({ ...values, uid })
  return uid
}

export async function deleteReservation(db: Db, uid: string): Promise<void> {
  await db.delete(storageReservations).where(eq(storageReservations.uid, uid))
}

export async function deleteExpiredReservations(db: Db, now: Date): Promise<void> {
  await db.delete(storageReservations).where(lte(storageReservations.expiresAt, now))
}
