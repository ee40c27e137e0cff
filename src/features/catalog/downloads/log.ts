import type { Database } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { Logger } from '../../../lib/log.ts'
import { type DownloadEvent, insertEvents } from './queries.ts'

/** How long attempts are collected before they are written as one batch. */
const GATHER_MS = 250
const BATCH = 500
const RETRY_MS = 1000
/** The number of attempts buffered while the database is down; further ones are dropped and counted. */
const HELD_MAX = 20_000
/** How long closing waits for a database that does not respond. */
const CLOSE_MS = 5000

export interface DownloadLog {
  /** Does not delay the response: the attempt is written shortly after. */
  add(event: DownloadEvent): void
  /** Resolves when everything added so far was written or is scheduled for a retry. */
  flush(): Promise<void>
}

/** One log per process. Buffered attempts are written before the database is closed. */
export function openDownloadLog(deps: Pick<Deps, 'db' | 'log' | 'onDispose'>): DownloadLog {
  const writer = new EventWriter(deps.db, deps.log.child({ component: 'downloads' }))
  deps.onDispose(() => writer.close())
  return writer
}

class EventWriter implements DownloadLog {
  #held: DownloadEvent[] = []
  #dropped = 0
  #timer: ReturnType<typeof setTimeout> | null = null
  #writing: Promise<void> | null = null

  constructor(
    private readonly db: Database,
    private readonly log: Logger,
  ) {}

  add(event: DownloadEvent): void {
    if (this.#held.length >= HELD_MAX) {
      this.#dropped += 1
      return
    }
    this.#held.push(event)
    this.#writeAfter(GATHER_MS)
  }

  async flush(): Promise<void> {
    // The write in flight may have started before the latest attempt was added.
    await this.#writing
    await this.#write()
  }

  async close(): Promise<void> {
    await Promise.race([this.#drain(Date.now() + CLOSE_MS), Bun.sleep(CLOSE_MS)])
    this.#stopTimer()
    if (this.#held.length > 0) this.log.error('Download attempts were lost', { lost: this.#held.length })
  }

  async #drain(deadline: number): Promise<void> {
    await this.flush()
    while (this.#held.length > 0 && Date.now() < deadline) {
      await Bun.sleep(RETRY_MS)
      await this.flush()
    }
  }

  #writeAfter(ms: number): void {
    this.#timer ??= setTimeout(() => void this.#write(), ms)
  }

  #stopTimer(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
  }

  #write(): Promise<void> {
    this.#stopTimer()
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = null
    })
    return this.#writing
  }

  /** Writes one batch at a time; a batch that fails is retried later. */
  async #writeAll(): Promise<void> {
    while (this.#held.length > 0) {
      const batch = this.#held.slice(0, BATCH)
      try {
        await insertEvents(this.db, batch)
      } catch (error) {
        this.log.warn('Download attempts could not be written and will be retried', {
          held: this.#held.length,
          error,
        })
        return this.#writeAfter(RETRY_MS)
      }
      this.#held = this.#held.slice(batch.length)
    }
    if (this.#dropped > 0) this.log.error('Download attempts were lost', { lost: this.#dropped })
    this.#dropped = 0
  }
}
