import {
  DEVICE_MAX,
  parseSlotName,
  SAVE_BYTES_MAX,
  SAVE_NOTE_MAX,
  SLOT_NAME_MAX,
} from '../../../domain/saves.ts'
import { AppError, invalidField } from '../../../errors.ts'
import { isUid } from '../../../lib/ids.ts'
import { describeName, parseName } from '../../../lib/text/names.ts'
import { formatBytes } from '../../../lib/text/show.ts'

/** Which revision a write is based on; null: the slot must not exist. */
export interface Base {
  revision: string | null
}

/** What the headers of a write say. */
export interface WriteFields {
  base: Base
  device: string | null
  note: string | null
  /** The SHA-256 that the bytes must have. */
  checksum: string | null
  /** Null if the client did not say it; then the checksum tells whether all bytes arrived. */
  length: number | null
  buildUid: string | null
}

export function requireSlotName(text: string): string {
  const name = parseSlotName(text)
  if (name !== null) return name
  throw slotNameInvalid()
}

export function slotNameInvalid(): AppError {
  return invalidField(
    'slot',
    `must be a name of 1 to ${SLOT_NAME_MAX} characters that a file can have on every system.`,
  )
}

/** Anything that is no revision matches none. */
export function requireRevision(text: string): string {
  if (isUid(text)) return text.toLowerCase()
  throw new AppError('not_found', { message: 'There is no such revision of this save.' })
}

const CHECKSUM = /^(?:sha256:)?([0-9a-f]{64})$/i

export function parseWriteFields({ headers }: Request): WriteFields {
  const checksum = parseChecksum(headers.get('x-checksum-sha256'))
  const fields = {
    base: requireBase(headers),
    device: parseLine('X-Save-Device', headers.get('x-save-device'), DEVICE_MAX),
    note: parseLine('X-Save-Note', headers.get('x-save-note'), SAVE_NOTE_MAX),
    checksum,
    length: parseLength(headers.get('content-length')),
    buildUid: parseBuild(headers.get('x-build-id')),
  }
  if (fields.length === null && checksum === null) {
    throw new AppError('invalid_request', {
      message:
        'Send Content-Length or X-Checksum-Sha256: without either, half an upload looks like a whole one.',
    })
  }
  return fields
}

/** Throws 428 without a condition: a write never replaces what it does not know. */
function requireBase(headers: Headers): Base {
  const match = headers.get('if-match')?.trim()
  const none = headers.get('if-none-match')?.trim()
  if (match === undefined && none === undefined) throw new AppError('save_condition_missing')
  if (match !== undefined && none !== undefined)
    throw new AppError('invalid_request', { message: 'Send If-Match or If-None-Match, not both.' })
  if (match !== undefined) return { revision: requireTag(match) }
  if (none === '*') return { revision: null }
  throw new AppError('invalid_request', { message: 'If-None-Match must be * for a new slot.' })
}

/** `If-Match` of a request that may do without; null if there is none. */
export function parseMatch({ headers }: Request): string | null {
  const match = headers.get('if-match')?.trim()
  return match === undefined ? null : requireTag(match)
}

const TAG = /^(?:W\/)?"([^"]{1,100})"$/

/** Proxies that compress make a tag weak; ours always means the same bytes. */
function requireTag(match: string): string {
  const tag = TAG.exec(match)?.[1]
  if (tag !== undefined) return tag.toLowerCase()
  throw new AppError('invalid_request', {
    message: 'If-Match must be the one revision, in quotes, that the write is based on.',
  })
}

function parseChecksum(text: string | null): string | null {
  if (text === null) return null
  const digits = CHECKSUM.exec(text.trim())?.[1]
  if (digits !== undefined) return digits.toLowerCase()
  throw new AppError('invalid_request', { message: 'X-Checksum-Sha256 must be 64 hex characters.' })
}

function parseLength(text: string | null): number | null {
  if (text === null) return null
  const length = Number(text)
  if (length > SAVE_BYTES_MAX) throw saveTooLarge()
  return Number.isSafeInteger(length) ? length : null
}

export function saveTooLarge(): AppError {
  return new AppError('too_large', { message: `A save has at most ${formatBytes(SAVE_BYTES_MAX)}.` })
}

function parseBuild(text: string | null): string | null {
  return text !== null && isUid(text) ? text.toLowerCase() : null
}

/** Headers cannot hold all characters, so texts may be percent-encoded. */
function parseLine(header: string, raw: string | null, max: number): string | null {
  if (raw === null || raw.trim() === '') return null
  const line = parseName(decode(raw), max)
  if (line !== null) return line
  throw new AppError('invalid_request', { message: `${header} must be ${describeName(max)}.` })
}

function decode(raw: string): string {
  try {
    return decodeURIComponent(readUtf8(raw))
  } catch {
    return readUtf8(raw)
  }
}

/** Programs that send UTF-8 as it is arrive as one character for each byte. */
function readUtf8(raw: string): string {
  const bytes = Buffer.from(raw, 'latin1')
  if (bytes.toString('latin1') !== raw) return raw
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return raw
  }
}
