import { sql } from 'drizzle-orm'

import type { Db, Transaction } from '../../../db/client.ts'

const PREFIX = 'events_'

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
