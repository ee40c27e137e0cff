import type { Deps } from '../../../deps.ts'
import { AppError, invalidField } from '../../../errors.ts'
import { type Fields, type FormFile, readForm } from '../../../lib/form/multipart.ts'
import { createUid } from '../../../lib/ids.ts'
import type { Arrival } from '../../../lib/net/idle-timeout.ts'
import { reserveStorage } from '../../storage/quota.ts'
import { releaseObject } from '../../storage/service.ts'
import { LOG_BYTES_MAX, SCREENSHOT_BYTES_MAX } from './model.ts'
import { readReport, refuseLargeLog, type Report } from './read-report.ts'
import { openScreenshotFile } from './screenshot-file.ts'

/** A screenshot that is stored, but named by no row yet. */
export interface StoredScreenshot {
  objectKey: string
  contentType: string
  size: number
}

export interface ReceivedReport {
  report: Report
  screenshot: StoredScreenshot | null
}

export interface ReportArrival extends Arrival {
  /** Called with the texts that came before each file, so that a form can be shown again. */
  onFields?: (fields: Fields) => void
}

/** Boundaries, headers and the short fields. */
const OVERHEAD_BYTES = 256 * 1024
const RECEIVE_MS = 5 * 60 * 1000
/** Files in other fields are skipped, up to this number. */
const FILES_MAX = 8

/**
 * Reads the form, streams its screenshot to the object store, and calls `save`. If anything fails before the ticket
 * exists, the screenshot is deleted again.
 */
export async function receiveReport<Result>(
  deps: Deps,
  gameUid: string,
  { request, onFields }: ReportArrival,
  save: (received: ReceivedReport) => Promise<Result>,
): Promise<Result> {
  const files: { screenshot: StoredScreenshot | null; log?: string } = { screenshot: null }
  await using held = new AsyncDisposableStack()
  try {
    const fields = await readForm(request, {
      maxBodyBytes: SCREENSHOT_BYTES_MAX + LOG_BYTES_MAX + OVERHEAD_BYTES,
      maxFieldBytes: LOG_BYTES_MAX,
      maxFiles: FILES_MAX,
      signal: AbortSignal.timeout(RECEIVE_MS),
      async onFile(file, before) {
        onFields?.(before)
        if (file.field === 'log') {
          if (files.log !== undefined)
            throw invalidField('log', 'must be sent once, as a field or as a file.')
          files.log = await readLogFile(file.stream)
        } else if (file.field === 'screenshot') {
          if (files.screenshot) throw invalidField('screenshot', 'must be one file, not several.')
          files.screenshot = await storeScreenshot(deps, gameUid, file, async () => {
            held.use(await reserveScreenshot(deps, gameUid, request))
          })
        }
      },
    })
    onFields?.(fields)
    const { screenshot, log } = files
    if (fields.has('screenshot')) throw invalidField('screenshot', 'must be a file, not a text.')
    if (log !== undefined && fields.has('log'))
      throw invalidField('log', 'must be sent once, as a field or as a file.')
    const report = readReport({ ...Object.fromEntries(fields), ...(log !== undefined && { log }) })
    return await save({ report, screenshot })
  } catch (error) {
    // After any other error the ticket may exist; if it does not, the hourly job deletes the object.
    if (files.screenshot && error instanceof AppError) await releaseObject(deps, files.screenshot.objectKey)
    throw error
  }
}

async function storeScreenshot(
  { store }: Deps,
  gameUid: string,
  file: FormFile,
  reserve: () => Promise<void>,
): Promise<StoredScreenshot | null> {
  const opened = await openScreenshotFile(file)
  if (!opened) return null
  await reserve()
  const { format, stream } = opened
  const objectKey = `screenshots/${gameUid}/${createUid()}.${format}`
  const contentType = `image/${format}`
  const { size } = await store.put(objectKey, stream, { contentType })
  return { objectKey, contentType, size }
}

/** The storage is the developer's, so the player learns only what to do. */
async function reserveScreenshot(deps: Deps, gameUid: string, request: Request): Promise<AsyncDisposable> {
  const length = Number(request.headers.get('content-length') ?? SCREENSHOT_BYTES_MAX)
  const bytes = Math.min(length, SCREENSHOT_BYTES_MAX)
  try {
    return await reserveStorage(deps, gameUid, { bytes, ms: 2 * RECEIVE_MS })
  } catch (cause) {
    if (!(cause instanceof AppError && cause.kind === 'storage_used_up')) throw cause
    throw new AppError(cause.kind, {
      message: 'The developer of this game has no room for screenshots left. Send the report without one.',
      cause,
    })
  }
}

async function readLogFile(stream: ReadableStream<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const bytes of stream) {
    size += bytes.length
    refuseLargeLog(size)
    pieces.push(bytes)
  }
  return Buffer.concat(pieces).toString('utf8')
}
