import { and, eq, sql } from 'drizzle-orm'

import { anyOf, type Db, inserted, one, type Transaction, unnest } from '../../../db/client.ts'
import { builds } from '../../../db/schema/builds.ts'
import { playTimes } from '../../../db/schema/games/game-players.ts'
import { games } from '../../../db/schema/games/games.ts'
import { playClocks } from '../../../db/schema/telemetry.ts'
import { isUid } from '../../../lib/ids.ts'

const PREFIX = 'events_'

export interface EventRow {
  buildUid: string
  deviceId: string
  sessionId: string
  name: string
  /** Milliseconds. */
  at: number
  /** A 64-bit hash that identifies a repeated event. */
  key: string
  /** JSON. */
  metadata: string | null
  /** A keyed hash of the sender's network. Stored with the device, not with the event. */
  network: string | null
}

/** Finds a build by its uid and by the uid or name of its game. */
export async function findBuildOfGame(db: Db, gameRef: string, buildUid: string) {
  return await one(
    db
      .select({ gameUid: games.uid, buildUid: builds.uid, version: builds.version })
      .from(builds)
      .innerJoin(games, eq(games.uid, builds.gameUid))
      .where(and(eq(builds.uid, buildUid), eq(isUid(gameRef) ? games.uid : games.vanityName, gameRef))),
  )
}

/** Blocks deletion of the builds until the transaction ends. Omits those deleted or being deleted. */
export async function lockBuilds(tx: Transaction, buildUids: readonly string[]): Promise<Set<string>> {
  const rows = await tx
    .select({ uid: builds.uid })
    .from(builds)
    .where(anyOf(builds.uid, buildUids))
    .for('key share', { skipLocked: true })
  return new Set(rows.map(({ uid }) => uid))
}

/** Sorted by key, so that concurrent senders of the same events cannot deadlock. */
export async function insertEvents(db: Db, events: readonly EventRow[]): Promise<void> {
  await db.execute(sql`
    insert into ingest.events (day, key, build_uid, device_id, session_id, name, at, metadata)
    select (to_timestamp(at_ms / 1000.0::float8) at time zone 'UTC')::date, key, build_uid, device_id, session_id, name,
      to_timestamp(at_ms / 1000.0::float8), metadata::jsonb
    from ${unnest(events, {
      key: 'bigint',
      buildUid: 'uuid',
      deviceId: 'text',
      sessionId: 'text',
      name: 'text',
      at: 'bigint',
      metadata: 'text',
    })}
      as event (key, build_uid, device_id, session_id, name, at_ms, metadata)
    order by key
    on conflict do nothing`)
}

export async function lockPartitions(tx: Transaction): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('ingest partitions', 0))`)
}

/** Days are formatted as `2026-01-31`. */
export async function createPartition(tx: Transaction, day: string, dayAfter: string): Promise<void> {
  await tx.execute(
    sql.raw(`
      create table ingest.${nameOf(day)} partition of ingest.events
      for values from ('${day}') to ('${dayAfter}')`),
  )
}

export async function dropPartition(db: Db, day: string): Promise<void> {
  await db.execute(sql.raw(`drop table if exists ingest.${nameOf(day)}`))
}

/** The days that have a partition, oldest first. */
export async function listPartitions(db: Db): Promise<string[]> {
  const rows = await db.execute<{ name: string }>(sql`
    select inhrelid::regclass::text as name from pg_inherits where inhparent = 'ingest.events'::regclass order by 1`)
  return rows.map(({ name }) => name.slice(name.indexOf(PREFIX) + PREFIX.length).replaceAll('_', '-'))
}

function nameOf(day: string): string {
  return PREFIX + day.replaceAll('-', '_')
}

export type ClockRow = typeof playClocks.$inferSelect

/** The player's clock for this game, locked until the transaction ends. */
export async function lockClock(tx: Transaction, userUid: string, gameUid: string): Promise<ClockRow> {
  return await inserted(
    tx
      .insert(playClocks)
      .values({ userUid, gameUid })
      .onConflictDoUpdate({ target: [playClocks.userUid, playClocks.gameUid], set: { userUid } })
      .returning(),
  )
}

export async function storeClock(tx: Transaction, { userUid, gameUid, ...values }: ClockRow): Promise<void> {
  await tx
    .update(playClocks)
    .set(values)
    .where(and(eq(playClocks.userUid, userUid), eq(playClocks.gameUid, gameUid)))
}

export async function addPlayTime(
  tx: Transaction,
  userUid: string,
  gameUid: string,
  seconds: number,
): Promise<void> {
  await tx
    .insert(playTimes)
    .values({ userUid, gameUid, seconds, playedAt: sql`now()` })
    .onConflictDoUpdate({
      target: [playTimes.userUid, playTimes.gameUid],
      set: { seconds: sql`${playTimes.seconds} + excluded.seconds`, playedAt: sql`excluded.played_at` },
    })
}
