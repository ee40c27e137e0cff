import type { Logger } from '../../lib/log.ts'
import type { Database } from '../client.ts'
import { isBusyError, isConnectionError } from '../errors.ts'
import { DirectConnection } from '../pool/direct-connection.ts'
import { openReplicaSession, type ReplicaSession } from './replica-session.ts'
import { findReplicaFault, hasReplayed, type PrimaryState, READ_PRIMARY } from './replica-state.ts'

/** Reads from the replica are never more stale than this, even while notifications are lost. */
const FRESH_MS = 1000
const ROUND_MS = 250
/** The minimum time between two rounds, for bursts of changes. */
const ROUNDS_APART_MS = 10
/** The time between two looks at a replica that is catching up. */
const CATCH_UP_MS = 20
/** A replica that is behind for longer than this is reported. */
const BEHIND_MS = 5000
/** After a read that failed or was too slow, the primary serves all reads for so long. */
const REST_MS = 2000

export interface ReplicaOptions {
  url: string
  primaryUrl: string
  prepare: boolean
  log: Logger
}

/**
 * Knows whether a streaming replica may be read from. In each round it reads the primary's position and waits until
 * the replica has replayed it: the replica then has everything that was committed before the round began. A change
 * known to this process ends that until a round that began after it. Starts with the first use.
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
