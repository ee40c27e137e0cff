import type { Database, Transaction } from '../../../db/client.ts'
import { isBusyError, isConnectionError } from '../../../db/errors.ts'
import { AppError } from '../../../errors.ts'
import { BatchWriter } from '../../../lib/batch-writer.ts'
import { type LaunchMark, recordLaunches } from '../health/launches.ts'
import { requestRating, slotOf } from '../health/rate-build.ts'
import { notAGame } from './game-id.ts'
import { dayOf, preparePartitions } from './partitions.ts'
import { type EventRow, holdBuilds, insertEvents } from './queries.ts'

const GATHER_MS = 3
const BATCH_EVENTS = 4000
const WRITERS = 2
/** Past this the database cannot follow; more is refused, to be sent again. */
const HELD_EVENTS = 40_000

/** What the standard events say about a launch. */
const MARKS: ReadonlyMap<string, LaunchMark> = new Map([
  ['boot_ok', 'boot'],
  ['crash', 'crash'],
  ['session_start', 'alive'],
  ['heartbeat', 'alive'],
  ['session_end', 'alive'],
])

interface Waiting {
  buildUid: string
  events: readonly EventRow[]
  done: PromiseWithResolvers<void>
}

/** Writes events in batches. All events of one request are of one build. */
export class EventWriter {
  #preparedDay = ''
  #judging = { slot: 0, requested: new Set<string>() }
  readonly #requests = new BatchWriter<Waiting>({
    gatherMs: GATHER_MS,
    maxBatchSize: BATCH_EVENTS,
    maxHeldSize: HELD_EVENTS,
    sizeOf: ({ events }) => events.length,
    parallel: WRITERS,
    write: (group) => this.#writeGroup(group),
  })

  constructor(private readonly db: Database) {}

  /** Resolves when the events are committed. */
  async write(buildUid: string, events: readonly EventRow[]): Promise<void> {
    const done = Promise.withResolvers<void>()
    if (!this.#requests.add({ buildUid, events, done })) {
      throw new AppError('service_down', {
        message: 'Too many events are waiting to be written. Send them again shortly.',
        headers: { 'retry-after': '5' },
      })
    }
    await done.promise
  }

  /** Never throws: each request gets its own outcome. */
  async #writeGroup(group: readonly Waiting[]): Promise<void> {
    try {
      const existing = await this.#commit(group)
      for (const { buildUid, done } of group) {
        if (existing.has(buildUid)) done.resolve()
        else done.reject(notAGame())
      }
    } catch (error) {
      // A fault in one request must not fail the others.
      if (group.length > 1 && !isConnectionError(error) && !isBusyError(error)) {
        for (const request of group) await this.#writeGroup([request])
        return
      }
      for (const { done } of group) done.reject(error)
    }
  }

  /** Returns the builds that exist; events of others are not written. */
  async #commit(group: readonly Waiting[]): Promise<ReadonlySet<string>> {
    await this.#prepareDay()
    const { existing, slot } = await this.db.transaction((tx) => this.#writeAll(tx, group))
    if (this.#judging.slot !== slot) this.#judging = { slot, requested: new Set() }
    for (const buildUid of existing) this.#judging.requested.add(buildUid)
    return existing
  }

  /** Once a day. The job has usually created the partitions before, except on the very first day. */
  async #prepareDay(): Promise<void> {
    const now = Date.now()
    const day = dayOf(now)
    if (day === this.#preparedDay) return
    await preparePartitions(this.db, now)
    this.#preparedDay = day
  }

  async #writeAll(tx: Transaction, group: readonly Waiting[]) {
    const now = Date.now()
    const existing = await holdBuilds(tx, [...new Set(group.map(({ buildUid }) => buildUid))])
    const events = group.flatMap((request) => (existing.has(request.buildUid) ? request.events : []))
    if (events.length > 0) {
      await insertEvents(tx, events)
      const launches = events.map((event) => ({ ...event, mark: MARKS.get(event.name) ?? null }))
      await recordLaunches(tx, launches, now)
    }
    const slot = slotOf(Date.now())
    const { slot: known, requested } = this.#judging
    const unasked = slot === known ? [...existing].filter((buildUid) => !requested.has(buildUid)) : existing
    await requestRating(tx, unasked, slot)
    return { existing, slot }
  }
}
