import type { Database, Transaction } from '../../../db/client.ts'
import { isBusyError, isConnectionError } from '../../../db/errors.ts'
import { AppError } from '../../../errors.ts'
import { type LaunchMark, recordLaunches } from '../health/launches.ts'
import { requestRating, slotOf } from '../health/rate-build.ts'
import { notAGame } from './game-id.ts'
import { dayOf, preparePartitions } from './partitions.ts'
import { type EventRow, holdBuilds, insertEvents } from './queries.ts'

/** How long requests are collected before they are written as one batch. */
const GATHER_MS = 3
const BATCH_EVENTS = 4000
const WRITERS = 2
/** Beyond this backlog the database cannot keep up, and senders are asked to retry. */
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
  #waiting: Waiting[] = []
  #held = 0
  #writing = 0
  #timer: ReturnType<typeof setTimeout> | null = null
  #preparedDay = ''
  #judging = { slot: 0, requested: new Set<string>() }

  constructor(private readonly db: Database) {}

  /** Resolves when the events are committed. */
  async write(buildUid: string, events: readonly EventRow[]): Promise<void> {
    if (this.#held + events.length > HELD_EVENTS) {
      throw new AppError('service_down', {
        message: 'Too many events are waiting to be written. Send them again shortly.',
        headers: { 'retry-after': '5' },
      })
    }
    this.#held += events.length
    const done = Promise.withResolvers<void>()
    this.#waiting.push({ buildUid, events, done })
    this.#timer ??= setTimeout(() => this.#start(), GATHER_MS)
    await done.promise
  }

  #start(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    while (this.#waiting.length > 0 && this.#writing < WRITERS) {
      this.#writing += 1
      void this.#writeGroup(this.#takeGroup()).finally(() => {
        this.#writing -= 1
        this.#start()
      })
    }
  }

  #takeGroup(): Waiting[] {
    let events = 0
    const end = this.#waiting.findIndex((request) => (events += request.events.length) > BATCH_EVENTS)
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : Math.max(1, end))
  }

  async #writeGroup(group: Waiting[]): Promise<void> {
    try {
      const kept = await this.#commit(group)
      for (const { buildUid, done } of group) {
        if (kept.has(buildUid)) done.resolve()
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
    for (const { events } of group) this.#held -= events.length
  }

  /** Returns the builds that exist; events of other builds are not written. */
  async #commit(group: readonly Waiting[]): Promise<ReadonlySet<string>> {
    await this.#prepareDay()
    const { kept, slot } = await this.db.transaction((tx) => this.#writeAll(tx, group))
    if (this.#judging.slot !== slot) this.#judging = { slot, requested: new Set() }
    for (const buildUid of kept) this.#judging.requested.add(buildUid)
    return kept
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
    const kept = await holdBuilds(tx, [...new Set(group.map(({ buildUid }) => buildUid))])
    const events = group.flatMap((request) => (kept.has(request.buildUid) ? request.events : []))
    if (events.length > 0) {
      await insertEvents(tx, events)
      const launches = events.map((event) => ({ ...event, mark: MARKS.get(event.name) ?? null }))
      await recordLaunches(tx, launches, now)
    }
    const slot = slotOf(Date.now())
    const { slot: known, requested } = this.#judging
    const unasked = slot === known ? [...kept].filter((buildUid) => !requested.has(buildUid)) : kept
    await requestRating(tx, unasked, slot)
    return { kept, slot }
  }
}
