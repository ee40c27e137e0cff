import { and, eq, lt, sql } from 'drizzle-orm'

import { type Db, one, unnest } from '../../../db/client.ts'
import { ingestQuotas } from '../../../db/schema/telemetry.ts'

type QuotaRow = typeof ingestQuotas.$inferSelect

export interface QuotaUse {
  gameUid: string
  /** `WHOLE_GAME`, or a network. */
  network: string
  events: number
  bytes: number
}

export type Refused = Pick<QuotaRow, 'gameUid' | 'refusedOfGame' | 'refusedOfNetworks'>

/** Stands for the game as a whole; no network has this number. */
export const WHOLE_GAME = '0'

/**
 * Adds to the day's rows and returns their new totals. Call it last in a transaction, because the rows of a
 * busy game are contended. Rows are locked in a fixed order, so that transactions cannot deadlock.
 */
export async function addUse(db: Db, day: string, uses: readonly QuotaUse[]): Promise<QuotaUse[]> {
  const rows = await db.execute<{ game_uid: string; network: string; events: string; bytes: string }>(sql`
    insert into ${ingestQuotas} as quota (game_uid, day, network, events, bytes)
    select game_uid, ${day}::date, network, events, bytes
    from ${unnest(uses, { gameUid: 'uuid', network: 'bigint', events: 'bigint', bytes: 'bigint' })}
      as use (game_uid, network, events, bytes)
    order by game_uid, network
    on conflict (game_uid, day, network)
    do update set events = quota.events + excluded.events, bytes = quota.bytes + excluded.bytes
    returning game_uid, network::text, events::text, bytes::text`)
  return rows.map(({ game_uid: gameUid, network, events, bytes }) => ({
    gameUid,
    network,
    events: Number(events),
    bytes: Number(bytes),
  }))
}

/** Leaves out games that were deleted meanwhile. */
export async function addRefused(db: Db, day: string, refused: readonly Refused[]): Promise<void> {
  await db.execute(sql`
    insert into ${ingestQuotas} as quota (game_uid, day, network, refused_of_game, refused_of_networks)
    select games.uid, ${day}::date, ${WHOLE_GAME}::bigint, of_game, of_networks
    from ${unnest(refused, { gameUid: 'uuid', refusedOfGame: 'bigint', refusedOfNetworks: 'bigint' })}
      as refused (game_uid, of_game, of_networks)
    join games on games.uid = refused.game_uid
    order by games.uid
    on conflict (game_uid, day, network)
    do update set refused_of_game = quota.refused_of_game + excluded.refused_of_game,
      refused_of_networks = quota.refused_of_networks + excluded.refused_of_networks`)
}

export async function findQuota(db: Db, gameUid: string, day: string): Promise<QuotaRow | undefined> {
  return await one(
    db
      .select()
      .from(ingestQuotas)
      .where(
        and(
          eq(ingestQuotas.gameUid, gameUid),
          eq(ingestQuotas.day, day),
          eq(ingestQuotas.network, BigInt(WHOLE_GAME)),
        ),
      ),
  )
}

export async function deleteOldQuotas(db: Db, before: string): Promise<void> {
  await db.delete(ingestQuotas).where(lt(ingestQuotas.day, before))
}
