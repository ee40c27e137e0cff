import type { Actor } from '../../domain/actor.ts'
import type { Logger } from '../../lib/log.ts'
import type { Database, DatabaseHandle } from '../client.ts'
import { isBusyError, isConnectionError } from '../errors.ts'
import {
  DirectConnection,
  findReplicaFault,
  hasReplayed,
  openReplicaSession,
  type PrimaryState,
  READ_PRIMARY,
  type ReplicaSession,
} from './replica-state.ts'

/** Reads from the replica are never more stale than this, even while notifications are lost. */
const FRESH_MS = 1000
const ROUND_MS = 250
/** The minimum time between two rounds, for bursts of changes. */
const ROUNDS_APART_MS = 10
/** How often a replica that is catching up is checked. */
const CATCH_UP_MS = 20
/** A replica that is behind for longer than this is reported. */
const BEHIND_MS = 5000
/** How long the primary serves all reads after a read failed or was too slow. */
const REST_MS = 2000

interface ReplicaOptions {
  url: string
  primaryUrl: string
  prepare: boolean
  log: Logger
}

/**
 * Knows whether a streaming replica may be read from. Each round reads the primary's position and waits until
 * the replica has replayed everything committed before the round began. After a change known to this process,
 * the replica is not used until a round that began later has ended. Starts with the first use.
 */
export class Replica {
  readonly #options: ReplicaOptions
  readonly #primary: DirectConnection
  readonly #stopping = new AbortController()
  #running: Promise<void> | null = null
  #firstRound = Promise.withResolvers<void>()
  #wake = Promise.withResolvers<void>()
  #session: ReplicaSession | null = null
  #onOpen: (db: Database) => void = () => undefined
  /** The number of known changes, and how many of them the replica has. */
  #changes = 0
  #replayedChanges = -1
  /** The replica has everything that was committed before this moment. */
  #replayedUntil = performance.now()
  #restsUntil = 0
  #fault: string | null = null
  #isReported = false

  constructor(options: ReplicaOptions) {
    this.#options = options
    this.#primary = new DirectConnection(options.primaryUrl, 'replica watch')
  }

  /** The database to read from; null while the primary has to be used. */
  current(): Database | null {
    this.#start()
    const isCurrent = this.#replayedChanges === this.#changes && this.#age() < FRESH_MS
    return isCurrent && performance.now() >= this.#restsUntil ? (this.#session?.db ?? null) : null
  }

  /** Call when this process learns that data changed. */
  noteChange(): void {
    this.#changes += 1
    this.#wake.resolve()
  }

  /** Call when a read failed: a lost or slow replica is not used for a while. */
  noteFailure(error: unknown): void {
    if (!isConnectionError(error) && !isBusyError(error)) return
    this.#restsUntil = performance.now() + REST_MS
    this.#options.log.debug('A read failed on the replica and is repeated on the primary', { error })
  }

  /** The age of the newest state that the replica is known to have. */
  lagSeconds(): number {
    this.#start()
    return this.#age() / 1000
  }

  /** Throws when the replica is not used. */
  async check(): Promise<void> {
    this.#start()
    await this.#firstRound.promise
    if (this.#fault !== null) throw new Error(this.#fault)
    if (this.#age() > BEHIND_MS) throw new Error(`it is ${Math.round(this.lagSeconds())} s behind`)
  }

  /** Runs for each pool of connections that is opened from now on. */
  onOpen(observe: (db: Database) => void): void {
    this.#onOpen = observe
  }

  async dispose(): Promise<void> {
    this.#stopping.abort()
    this.#wake.resolve()
    this.#close()
    await this.#running
    this.#primary.close()
    this.#close()
  }

  #start(): void {
    if (!this.#stopping.signal.aborted) this.#running ??= this.#run()
  }

  #age(): number {
    return performance.now() - this.#replayedUntil
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      this.#wake = Promise.withResolvers()
      try {
        await this.#round()
      } catch (error) {
        this.#fault = error instanceof Error ? error.message || error.name : String(error)
      }
      this.#firstRound.resolve()
      this.#report()
      await Bun.sleep(ROUNDS_APART_MS)
      await Promise.race([Bun.sleep(ROUND_MS), this.#wake.promise])
    }
  }

  async #round(): Promise<void> {
    const [began, changes] = [performance.now(), this.#changes]
    const primary = await this.#primary.ask<PrimaryState>(READ_PRIMARY)
    try {
      this.#session ??= await this.#open()
      await this.#waitUntilReplayed(this.#session, primary, began)
    } catch (error) {
      this.#close()
      throw error
    }
    this.#replayedUntil = began
    this.#replayedChanges = changes
  }

  async #open(): Promise<ReplicaSession> {
    const session = await openReplicaSession(this.#options.url, this.#options.prepare)
    this.#onOpen(session.db)
    return session
  }

  async #waitUntilReplayed(session: ReplicaSession, primary: PrimaryState, began: number): Promise<void> {
    for (;;) {
      const replica = await session.readState()
      const fault = findReplicaFault(primary, replica)
      if (fault !== null) throw new Error(fault)
      this.#fault = null
      if (hasReplayed(replica, primary)) return
      const isLate = performance.now() - began > FRESH_MS
      if (isLate) this.#firstRound.resolve()
      this.#report()
      await Bun.sleep(isLate ? ROUND_MS : CATCH_UP_MS)
      this.#stopping.signal.throwIfAborted()
    }
  }

  /** Logs when the replica falls out of use and when it returns. */
  #report(): void {
    const isUnused = this.#age() > (this.#fault === null && !this.#isReported ? BEHIND_MS : FRESH_MS)
    if (isUnused === this.#isReported || this.#stopping.signal.aborted) return
    this.#isReported = isUnused
    const { log } = this.#options
    const lag_seconds = Math.round(this.lagSeconds())
    if (isUnused) {
      log.warn('The read replica is not used; the primary serves all reads', {
        reason: this.#fault ?? 'it is behind',
        lag_seconds,
      })
    } else log.info('The read replica is used again', { lag_seconds })
  }

  /** The next session may lead to another server, of which nothing is known yet. */
  #close(): void {
    this.#session?.close()
    this.#session = null
    this.#replayedChanges = -1
  }
}

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
