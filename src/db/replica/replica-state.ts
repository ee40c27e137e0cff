import { sql } from 'drizzle-orm'
import type postgres from 'postgres'

import { withTimeout } from '../../lib/flow/with-timeout.ts'
import { type Database, openReadPool } from '../client.ts'
import { openSession } from '../pool/sessions.ts'

/** Where the primary is in its log, and whose data it holds. */
export interface PrimaryState {
  /** Identifies the cluster; a replica has the same. */
  system: string
  /** null before the first start of the server. */
  installation: string | null
  /** Changes with every failover. */
  timeline: string
  /** Every change that was visible when this was read is before it. */
  position: string
}

export interface ReplicaState extends PrimaryState {
  isReplica: boolean
  /** Everything before this position can be read. */
  position: string
  /** Differs between servers, and after a restart. */
  startedAt: string
}

/**
 * The position of the last insertion, not of the last write: with `synchronous_commit` off a change is visible before
 * it is written.
 */
export const READ_PRIMARY = `
  select system_identifier::text as system, (select id::text from installation) as installation,
    substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8) as timeline,
    (pg_current_wal_insert_lsn() - '0/0')::text as position
  from pg_control_system()`

const READ_REPLICA = `
  select pg_is_in_recovery() as "isReplica", system_identifier::text as system,
    (select id::text from installation) as installation,
    upper(lpad(to_hex(greatest(timeline_id, min_recovery_end_timeline)), 8, '0')) as timeline,
    (coalesce(pg_last_wal_replay_lsn(), '0/0') - '0/0')::text as position,
    pg_postmaster_start_time()::text as "startedAt"
  from pg_control_system(), pg_control_checkpoint(), pg_control_recovery()`

/** Why this server must not be read from; null if it is a replica of the primary. */
export function findReplicaFault(primary: PrimaryState, replica: ReplicaState): string | null {
  if (!replica.isReplica) return 'this server is not a replica: it accepts writes, or was promoted'
  if (replica.system !== primary.system) return 'this server is a replica of another Postgres'
  if (replica.installation !== primary.installation) return 'this database belongs to another installation'
  if (replica.timeline !== primary.timeline) {
    return 'after a failover, this replica does not follow the new primary, or has not replayed a checkpoint of it yet'
  }
  return null
}

export function hasReplayed(replica: ReplicaState, primary: PrimaryState): boolean {
  return BigInt(replica.position) >= BigInt(primary.position)
}

const TIMEOUT_MS = 1000

/** One connection for small queries that must not wait for a pool. It is replaced after a failure. */
export class DirectConnection {
  #client: postgres.Sql | null = null

  constructor(
    private readonly url: string,
    private readonly name: string,
  ) {}

  /** Returns the first row. */
  async ask<Row extends object>(text: string): Promise<Row> {
    try {
      this.#client ??= openSession(this.url, this.name)
      const [row] = await withTimeout(TIMEOUT_MS, this.#client.unsafe<Row[]>(text))
      if (row === undefined) throw new Error('The query returned no row')
      return row
    } catch (error) {
      this.close()
      throw error
    }
  }

  /** The next query opens a new connection. */
  close(): void {
    void this.#client?.end({ timeout: 0 })
    this.#client = null
  }
}

const OPEN_MS = 3000
/** A name that leads to several servers rarely leads to the same one this many times. */
const COMPARED_CONNECTIONS = 4
const UNDEFINED_TABLE = '42P01'

/** The connections to one server, opened and closed together. */
export interface ReplicaSession {
  db: Database
  readState(): Promise<ReplicaState>
  /** Reads in flight reject. */
  close(): void
}

/** The pool must lead to the server whose position is read, otherwise the position says nothing about its data. */
export async function openReplicaSession(url: string, prepare: boolean): Promise<ReplicaSession> {
  const watch = new DirectConnection(url, 'replica watch')
  const pool = openReadPool(url, prepare)
  const session = {
    db: pool.db,
    readState: () => watch.ask<ReplicaState>(READ_REPLICA).catch(explain),
    close() {
      watch.close()
      pool.close()
    },
  }
  try {
    const { startedAt } = await session.readState()
    const reads = Array.from({ length: COMPARED_CONNECTIONS }, () => findStart(pool.db))
    const starts = await withTimeout(OPEN_MS, Promise.all(reads))
    if (starts.some((start) => start !== startedAt)) {
      throw new Error('DATABASE_READ_URL leads to several servers: set it to one of them')
    }
    return session
  } catch (error) {
    session.close()
    throw error
  }
}

/** The statement lasts long enough that each one opens a connection. */
async function findStart(db: Database): Promise<string | undefined> {
  const [row] = await db.execute<{ at: string }>(
    sql`select pg_postmaster_start_time()::text as at from pg_sleep(0.05)`,
  )
  return row?.at
}

function explain(error: unknown): never {
  if (error instanceof Error && 'code' in error && error.code === UNDEFINED_TABLE) {
    throw new Error('this database is not a Playshelf database', { cause: error })
  }
  throw error
}
