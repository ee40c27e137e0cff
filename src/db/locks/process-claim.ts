import { type SQL, sql, type SQLWrapper } from 'drizzle-orm'

import { createUid } from '../../lib/ids.ts'
import { openSession } from '../pool/sessions.ts'
import { LOCKS } from './locks.ts'

/** Chunks of one upload arrive in quick succession, so the session stays open between them. */
const LINGER_MS = 10_000

/** While it is held, rows may carry `name` to mark that this process is working on them. */
interface Hold {
  name: string
  /** Fires when the database session is lost: other processes may then take over rows with this name. */
  lost: AbortSignal
  /** Call exactly once. */
  release(): void
}

interface ProcessClaim {
  hold(): Promise<Hold>
}

interface Session {
  name: string
  lost: AbortSignal
  end(): Promise<void>
}

/**
 * A name for this process, backed by an advisory lock in its own database session. Postgres releases the lock
 * as soon as the process ends, even by a crash, so no timeout is needed.
 */
export function createProcessClaim(databaseUrl: string): ProcessClaim {
  let session: Promise<Session> | null = null
  let holders = 0
  let linger: ReturnType<typeof setTimeout> | undefined

  function open(): Promise<Session> {
    const opened = claim(databaseUrl, () => forget(opened))
    opened.catch(() => forget(opened))
    return opened
  }

  function forget(ended: Promise<Session>): void {
    if (session === ended) session = null
  }

  function release(): void {
    holders -= 1
    if (holders === 0) linger = setTimeout(close, LINGER_MS).unref()
  }

  function close(): void {
    session?.then(({ end }) => end()).catch(() => undefined)
    session = null
  }

  return {
    async hold() {
      clearTimeout(linger)
      holders += 1
      try {
        const { name, lost } = await (session ??= open())
        return { name, lost, release }
      } catch (error) {
        release()
        throw error
      }
    },
  }
}

async function claim(databaseUrl: string, onEnd: () => void): Promise<Session> {
  const name = createUid()
  const lost = new AbortController()
  const client = openSession(databaseUrl, 'claim', {
    onclose: () => {
      onEnd()
      lost.abort(new Error('The database session of this process was lost'))
    },
  })
  await client`select pg_advisory_lock_shared(${LOCKS.process}, hashtext(${name}))`
  return { name, lost: lost.signal, end: () => client.end({ timeout: 1 }) }
}

/** Whether the process with this name is still running. */
export function isAlive(name: SQLWrapper): SQL<boolean> {
  return sql<boolean>`exists (
    select 1 from pg_locks
    where locktype = 'advisory' and classid = ${LOCKS.process} and objid = hashtext(${name})::oid and granted
      and database = (select oid from pg_database where datname = current_database()))`
}
