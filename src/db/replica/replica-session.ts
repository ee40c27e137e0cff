import { sql } from 'drizzle-orm'

import { within } from '../../lib/flow/within.ts'
import { type Database, openReadPool } from '../client.ts'
import { DirectConnection } from '../pool/direct-connection.ts'
import { READ_REPLICA, type ReplicaState } from './replica-state.ts'

const OPEN_MS = 3000
/** A name that leads to several servers rarely leads to the same one so many times. */
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
    const reads = Array.from({ length: COMPARED_CONNECTIONS }, () => readStart(pool.db))
    const starts = await within(OPEN_MS, Promise.all(reads))
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
async function readStart(db: Database): Promise<string | undefined> {
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
