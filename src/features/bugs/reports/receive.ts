import type { Deps } from '../../../deps.ts'
import { AppError, invalidField } from '../../../errors.ts'
import { peekStream } from '../../../lib/bytes/streams.ts'
import { type Fields, type FormFile, readForm } from '../../../lib/form/multipart.ts'
import { createUid } from '../../../lib/ids.ts'
import type { Arrival } from '../../../lib/net/requests.ts'
import { countCharacters } from '../../../lib/text/characters.ts'
import { type ImageFormat, sniffFormat } from '../../listings/images/process.ts'
import { reserveStorage } from '../../storage/quota.ts'
import { releaseObject } from '../../storage/service.ts'
import { FACT_MAX, LOG_BYTES_MAX, MESSAGE_MAX, type ReportInput, SCREENSHOT_BYTES_MAX } from './model.ts'

/** A screenshot that is stored, but that no row refers to yet. */
interface StoredScreenshot {
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
/** The length of the longest file signature. */
const HEAD_BYTES = 12

/**
 * Reads the form, streams its screenshot to the object store, and calls `save`. If anything fails before the
 * ticket exists, the screenshot is deleted again.
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
    const report = parseReport({ ...Object.fromEntries(fields), ...(log !== undefined && { log }) })
    return await save({ report, screenshot })
  } catch (error) {
    // After any other error the ticket may exist; if it does not, the hourly job deletes the object.
    if (files.screenshot && error instanceof AppError) await releaseObject(deps, files.screenshot.objectKey)
    throw error
  }
}

async function storeScreenshot(
  { objects }: Deps,
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
  const { size } = await objects.put(objectKey, stream, { contentType })
  return { objectKey, contentType, size }
}

/** The storage belongs to the developer, so the error for players has no numbers, only what to do. */
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

interface ScreenshotFile {
  format: ImageFormat
  /** The whole file; errors when it is too large. */
  stream: ReadableStream<Uint8Array>
}

/**
 * Reads only the signature; the rest is streamed. null for the empty file without a name that browsers send
 * if none was chosen.
 */
export async function openScreenshotFile({
  filename,
  stream: source,
}: Pick<FormFile, 'filename' | 'stream'>): Promise<ScreenshotFile | null> {
  const { head, whole } = await peekStream(source, ({ length }) => length >= HEAD_BYTES)
  if (head.length === 0 && filename === '') return null
  const format = sniffFormat(head)
  if (!format) throw invalidField('screenshot', 'must be a PNG, JPEG or WebP image.')
  return { format, stream: whole(SCREENSHOT_BYTES_MAX, screenshotTooLarge) }
}

function screenshotTooLarge(): AppError {
  return new AppError('too_large', {
    message: `The screenshot is larger than ${SCREENSHOT_BYTES_MAX} bytes.`,
  })
}

/** The texts of a report as they are stored; empty ones are null. */
interface Report {
  message: string
  clientVersion: string | null
  os: string | null
  arch: string | null
  buildId: string | null
  log: string | null
}

type Sent = { [Field in keyof ReportInput]?: string | undefined }

export function parseReport(sent: Sent): Report {
  return {
    message: parseMessage(sent.message),
    clientVersion: parseFact('client_version', sent.client_version),
    os: parseFact('os', sent.os),
    arch: parseFact('arch', sent.arch),
    buildId: parseFact('build_id', sent.build_id),
    log: sent.log ? storable(sent.log) : null,
  }
}

/** Measures the log as sent, because invalid bytes grow when they are decoded. */
export function refuseLargeLog(bytes: number): void {
  if (bytes > LOG_BYTES_MAX)
    throw new AppError('too_large', { message: `The log is larger than ${LOG_BYTES_MAX} bytes.` })
}

function parseMessage(sent = ''): string {
  const message = storable(sent).trim()
  if (message === '')
    throw invalidField(
      'message',
      `is missing; it must say what went wrong in 1 to ${MESSAGE_MAX} characters.`,
    )
  if (countCharacters(message) > MESSAGE_MAX)
    throw invalidField('message', `must have at most ${MESSAGE_MAX} characters.`)
  return message
}

function parseFact(field: string, sent = ''): string | null {
  const value = storable(sent).trim()
  if (value.length > FACT_MAX) throw invalidField(field, `must have at most ${FACT_MAX} characters.`)
  return value === '' ? null : value
}

/** Postgres stores neither NUL nor half characters; logs that were cut off by a crash contain both. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD')
}
