import { AppError, invalidField } from '../../../errors.ts'
import { countCharacters } from '../../../lib/text/characters.ts'
import { FACT_MAX, LOG_BYTES_MAX, MESSAGE_MAX, type ReportInput } from './model.ts'

/** The texts of a report as they are stored; empty ones are null. */
export interface Report {
  message: string
  clientVersion: string | null
  os: string | null
  arch: string | null
  buildId: string | null
  log: string | null
}

type Sent = { [Field in keyof ReportInput]?: string | undefined }

export function readReport(sent: Sent): Report {
  return {
    message: readMessage(sent.message),
    clientVersion: readFact('client_version', sent.client_version),
    os: readFact('os', sent.os),
    arch: readFact('arch', sent.arch),
    buildId: readFact('build_id', sent.build_id),
    log: sent.log ? storable(sent.log) : null,
  }
}

/** Logs are measured as sent: bytes that are no text grow when they are decoded. */
export function refuseLargeLog(bytes: number): void {
  if (bytes > LOG_BYTES_MAX)
    throw new AppError('too_large', { message: `The log is larger than ${LOG_BYTES_MAX} bytes.` })
}

function readMessage(sent = ''): string {
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

function readFact(field: string, sent = ''): string | null {
  const value = storable(sent).trim()
  if (value.length > FACT_MAX) throw invalidField(field, `must have at most ${FACT_MAX} characters.`)
  return value === '' ? null : value
}

/** Postgres stores neither NUL nor half characters; logs that were cut off by a crash contain both. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD')
}
