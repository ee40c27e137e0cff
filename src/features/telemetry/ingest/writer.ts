import type { Database, Transaction } from '../../../db/client.ts'
import { isOutageError } from '../../../db/errors.ts'
import { AppError } from '../../../errors.ts'
import { BatchWriter } from '../../../lib/flow/batches.ts'
import { DAY_MS, dayOf } from '../../../lib/time.ts'
import { type LaunchMark, recordLaunches } from '../health/launches.ts'
import { requestRating, slotOf } from '../health/rate-build.ts'
import type { EventQuota, QuotaSubject } from '../quota/service.ts'
import {
  createPartition,
  dropPartition,
  type EventRow,
  insertEvents,
  listPartitions,
  lockBuilds,
  lockPartitions,
} from './queries.ts'
import { notAGame, type Sender } from './sender.ts'

const GATHER_MS = 3
const BATCH_EVENTS = 4000
const WRITERS = 2
/** The most events held in memory while the database is slow; further ones are refused, to be sent again. */
const HELD_EVENTS = 40_000
/** A larger event counts as several, which bounds the memory too. */
const EVENT_BYTES = 1024
/** The size of a stored event without its texts, index entries included. */
const ROW_BYTES = 100

/** What the standard events say about a launch. */
const MARKS: ReadonlyMap<string, LaunchMark> = new Map([
  ['boot_ok', 'boot'],
  ['crash', 'crash'],
  ['session_start', 'alive'],
  ['heartbeat', 'alive'],
  ['session_end', 'alive'],
])
/** Events are accepted one day back and one day ahead; the further days are a margin for the job. */
const DAYS_BACK = 1
const DAYS_AHEAD = 3
const RETENTION_DAYS = 30

interface Waiting extends QuotaSubject {
  buildUid: string
  events: readonly EventRow[]
  bytes: number
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
    sizeOf: ({ events, bytes }) => Math.max(events.length, Math.ceil(bytes / EVENT_BYTES)),
    parallel: WRITERS,
    write: (group) => this.#writeGroup(group),
  })

  constructor(
    private readonly db: Database,
    private readonly quota: EventQuota,
  ) {}

  /** Resolves when the events are committed. */
  async write(sender: Omit<Sender, 'version'>, events: readonly EventRow[]): Promise<void> {
    const { buildUid, gameUid, network } = sender
    const bytes = events.reduce((sum, event) => sum + bytesOf(event), 0)
    using held = new DisposableStack()
    held.use(this.quota.reserve(sender, { events: events.length, bytes }, Date.now()))
    const done = Promise.withResolvers<void>()
    if (!this.#requests.add({ buildUid, gameUid, network, events, bytes, done })) {
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
      if (group.length > 1 && !isOutageError(error)) {
        for (const request of group) await this.#writeGroup([request])
        return
      }
      for (const { done } of group) done.reject(error)
    }
  }

  /** Returns the builds that exist; events of others are not written. */
  async #commit(group: readonly Waiting[]): Promise<ReadonlySet<string>> {
    await this.#prepareDay()
    const { existing, slot, noteTotals } = await this.db.transaction((tx) => this.#writeAll(tx, group))
    noteTotals()
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
    const existing = await lockBuilds(tx, [...new Set(group.map(({ buildUid }) => buildUid))])
    const written = group.filter(({ buildUid }) => existing.has(buildUid))
    const events = written.flatMap((request) => request.events)
    if (events.length > 0) {
      await insertEvents(tx, events)
      const launches = events.map((event) => ({ ...event, mark: MARKS.get(event.name) ?? null }))
      await recordLaunches(tx, launches, now)
    }
    const slot = slotOf(Date.now())
    const { slot: known, requested } = this.#judging
    const unasked = slot === known ? [...existing].filter((buildUid) => !requested.has(buildUid)) : existing
    await requestRating(tx, unasked, slot)
    const used = written.map(({ gameUid, network, events: { length }, bytes }) => ({
      gameUid,
      network,
      events: length,
      bytes,
    }))
    return { existing, slot, noteTotals: await this.quota.add(tx, used, now) }
  }
}

function bytesOf({ deviceId, sessionId, name, metadata }: EventRow): number {
  return ROW_BYTES + Buffer.byteLength(deviceId + sessionId + name + (metadata ?? ''))
}

/** Creates the partition of every day that an event can have now or soon. Idempotent. */
export async function preparePartitions(db: Database, now: number): Promise<void> {
  await db.transaction(async (tx) => {
    await lockPartitions(tx)
    const existing = new Set(await listPartitions(tx))
    for (let offset = -DAYS_BACK; offset <= DAYS_AHEAD; offset += 1) {
      const [day, dayAfter] = [dayOf(now + offset * DAY_MS), dayOf(now + (offset + 1) * DAY_MS)]
      if (!existing.has(day)) await createPartition(tx, day, dayAfter)
    }
  })
}

/** Returns the days that were dropped. */
export async function dropOldPartitions(db: Database, now: number): Promise<string[]> {
  const oldest = dayOf(now - RETENTION_DAYS * DAY_MS)
  const old = (await listPartitions(db)).filter((day) => day < oldest)
  for (const day of old) await dropPartition(db, day)
  return old
}
