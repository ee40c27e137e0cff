import { sql } from 'drizzle-orm'

import type { Db } from './client.ts'

/** Sends to every process that listens on the channel: within a transaction when it commits, otherwise at once. */
export async function notify(db: Db, channel: string, ...payloads: readonly string[]): Promise<void> {
  await db.execute(
    sql`select pg_notify(${channel}, payload) from unnest(${sql.param([...payloads])}::text[]) as payload`,
  )
}
