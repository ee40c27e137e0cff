import { sql } from 'drizzle-orm'

import type { Db } from './client.ts'

/** Notifies every process listening on the channel: inside a transaction on commit, otherwise immediately. */
export async function notify(db: Db, channel: string, ...payloads: readonly string[]): Promise<void> {
  await db.execute(
    sql`select pg_notify(${channel}, payload) from unnest(${sql.param([...payloads])}::text[]) as payload`,
  )
}
