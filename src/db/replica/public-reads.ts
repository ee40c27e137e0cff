import type { Actor } from '../../domain/actor.ts'
import type { Database, DatabaseHandle } from '../client.ts'
import type { Replica } from './replica.ts'

type Work<Source, Result> = (from: Source) => Promise<Result>

/**
 * Reads of public data, from the read replica while it is up to date and otherwise from the primary. What fails on
 * the replica, or is not found there, is read again from the primary.
 */
export interface PublicReads<Source> {
  /** For one visitor. Everyone signed in reads from the primary, because they may look for their own change. */
  visitor<Result>(actor: Actor, work: Work<Source, Result>): Promise<Result>
  /** For everyone. `isCurrent` may ask the primary whether a result of the replica shows the newest change. */
  shared<Result>(
    work: Work<Source, Result>,
    isCurrent?: (result: Result) => Promise<boolean>,
  ): Promise<Result>
  /** How many reads each server has served. */
  counts(): { replica: number; primary: number }
}

/** `over` returns what the work reads from, on this database. */
export function createPublicReads<Source>(
  over: (db: Database) => Source,
  database: Pick<DatabaseHandle, 'db' | 'isInTransaction'>,
  replica: Replica | null,
): PublicReads<Source> {
  const counts = { replica: 0, primary: 0 }

  async function shared<Result>(
    work: Work<Source, Result>,
    isCurrent: (result: Result) => Promise<boolean> = async () => true,
  ): Promise<Result> {
    // Inside a transaction the pool of the primary throws.
    const db = database.isInTransaction() ? null : replica?.current()
    if (replica && db) {
      try {
        const result = await work(over(db))
        if (await isCurrent(result)) {
          counts.replica += 1
          return result
        }
      } catch (error) {
        replica.noteFailure(error)
      }
    }
    return await readPrimary(work)
  }

  async function readPrimary<Result>(work: Work<Source, Result>): Promise<Result> {
    counts.primary += 1
    return await work(over(database.db))
  }

  return {
    shared,
    visitor: (actor, work) => (actor.kind === 'anonymous' ? shared(work) : readPrimary(work)),
    counts: () => ({ ...counts }),
  }
}
