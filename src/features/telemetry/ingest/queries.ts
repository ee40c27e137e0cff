import { and, eq, sql } from 'drizzle-orm'

import { anyOf } from '../../../db/any-of.ts'
import type { Db, Transaction } from '../../../db/client.ts'
import { builds } from '../../../db/schema/builds.ts'
import { games } from '../../../db/schema/games/games.ts'
import { isUid } from '../../../lib/ids.ts'

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
  const [row] = await db
    .select({ gameUid: games.uid, buildUid: builds.uid, version: builds.version })
    .from(builds)
    .innerJoin(games, eq(games.uid, builds.gameUid))
    .where(and(eq(builds.uid, buildUid), eq(isUid(gameRef) ? games.uid : games.vanityName, gameRef)))
  return row
}

/** Blocks deletion of the builds until the transaction ends; omits those that are deleted or being deleted. */
export async function holdBuilds(tx: Transaction, buildUids: readonly string[]): Promise<Set<string>> {
  const rows = await tx
    .select({ uid: builds.uid })
    .from(builds)
    .where(anyOf(builds.uid, buildUids))
    .for('key share', { skipLocked: true })
  return new Set(rows.map(({ uid }) => uid))
}

/** Sorted by key, so that concurrent senders of the same events cannot deadlock. */
export async function insertEvents(db: Db, events: readonly EventRow[]): Promise<void> {
  const column = (read: (event: EventRow) => unknown) => sql.param(events.map(read))
  await db.execute(sql`
    insert into ingest.events (day, key, build_uid, device_id, session_id, name, at, metadata)
    select (to_timestamp(at_ms / 1000.0::float8) at time zone 'UTC')::date, key, build_uid, device_id, session_id, name,
      to_timestamp(at_ms / 1000.0::float8), metadata::jsonb
    from unnest(
      ${column(({ key }) => key)}::bigint[],
      ${column(({ buildUid }) => buildUid)}::uuid[],
      ${column(({ deviceId }) => deviceId)}::text[],
      ${column(({ sessionId }) => sessionId)}::text[],
      ${column(({ name }) => name)}::text[],
      ${column(({ at }) => at)}::bigint[],
      ${column(({ metadata }) => metadata)}::text[]
    ) as event (key, build_uid, device_id, session_id, name, at_ms, metadata)
    order by key
    on conflict do nothing`)
}
