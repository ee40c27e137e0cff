import type { Deps } from '../../../deps.ts'
import { BatchWriter } from '../../../lib/flow/batch-writer.ts'
import { type DownloadEvent, insertEvents } from './queries.ts'

const GATHER_MS = 250
const BATCH = 500
/** Held back while the database is away; what comes on top is dropped and counted. */
const HELD_MAX = 20_000
/** How long closing waits for a database that does not answer. */
const CLOSE_MS = 5000

export interface DownloadLog {
  /** Costs the response nothing: it is written a moment later. */
  add(event: DownloadEvent): void
  /** Settles when everything added so far was written or will be retried. */
  flush(): Promise<void>
}

/** One log per process. Buffered attempts are written before the database is closed. */
export function openDownloadLog(deps: Pick<Deps, 'db' | 'log' | 'onDispose'>): DownloadLog {
  const log = deps.log.child({ component: 'downloads' })
  let dropped = 0
  const writer = new BatchWriter<DownloadEvent>({
    gatherMs: GATHER_MS,
    maxBatchSize: BATCH,
    maxHeldSize: HELD_MAX,
    async write(events) {
      try {
        await insertEvents(deps.db, events)
      } catch (error) {
        const held = writer.heldSize
        log.warn('Download attempts could not be written; they are retried', { held, error })
        throw error
      }
      reportLost(dropped)
      dropped = 0
    },
  })

  function reportLost(lost: number): void {
    if (lost > 0) log.error('Download attempts were lost', { lost })
  }

  deps.onDispose(async () => {
    await writer.close(CLOSE_MS)
    reportLost(dropped + writer.heldSize)
  })
  return {
    add(event) {
      if (!writer.add(event)) dropped += 1
    },
    flush: () => writer.flush(),
  }
}
