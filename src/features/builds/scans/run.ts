import { ScannerError } from '../../../clients/scanner/scanner.ts'
import type { Deps } from '../../../deps.ts'
import type { JobContext } from '../../../jobs/handler.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { DAY_MS } from '../../../lib/utc-days.ts'
import { finishScan } from './finish.ts'
import { inspectFile } from './inspect.ts'
import { type ScanFile, scanFile } from './jobs.ts'
import * as queries from './queries.ts'
import { scanKey } from './queue-scan.ts'

const SECOND_MS = 1000
const DELAY_MAX_MS = 5 * 60 * SECOND_MS
const GIVE_UP_AFTER_MS = DAY_MS

/** May run twice for one file, even concurrently: only the first result counts. */
export async function runScan(deps: Deps, task: ScanFile, context: JobContext): Promise<void> {
  const file = await queries.findScanningFile(deps.db, task.fileUid)
  if (!file) return
  if (context.attempt >= (scanFile.maxAttempts ?? 0)) {
    const detail = 'The scan was interrupted several times. Upload the file again.'
    return await finishScan(deps, file, { state: 'error', engine: null, detail })
  }
  using held = new DisposableStack()
  try {
    const outcome = await inspectFile(deps, file, context.signal, held)
    if ('isAltered' in outcome) {
      context.log.error('A stored file is not the one that was uploaded', {
        file_uid: file.uid,
        object_key: file.objectKey,
        checksum: file.checksum,
      })
      context.countIncident('stored_bytes_differ')
    }
    await finishScan(deps, file, outcome, task.isRepeat)
  } catch (error) {
    context.signal.throwIfAborted()
    context.log.warn('A scan failed and was postponed', { file_uid: file.uid, error })
    await postpone(deps, file, task, error)
  }
}

/** An unreachable scanner or store delays files; they fail only after a day. */
async function postpone(deps: Deps, file: queries.FileRow, task: ScanFile, error: unknown): Promise<void> {
  const now = new Date()
  const since = task.waitingSince === undefined ? now : new Date(task.waitingSince)
  const runAt = nextAttempt(since, now)
  if (runAt) {
    const again = { ...task, waitingSince: since.toISOString() }
    return await enqueue(deps.db, scanFile, again, { runAt, key: scanKey(file.uid) })
  }
  const missing = error instanceof ScannerError ? 'The scanner' : 'The stored file'
  const detail = `${missing} could not be reached for a day. Upload the file again.`
  await finishScan(deps, file, { state: 'error', engine: null, detail })
}

/** Soon at first, then every five minutes; null after a day. */
export function nextAttempt(since: Date, now: Date): Date | null {
  const waited = now.getTime() - since.getTime()
  if (waited >= GIVE_UP_AFTER_MS) return null
  return new Date(now.getTime() + Math.min(DELAY_MAX_MS, Math.max(SECOND_MS, waited / 2)))
}
