import { AppError, invalidField } from '../../../errors.ts'
import type { Fields } from '../../../lib/form/multipart.ts'
import { hasUnfitCharacter } from '../../../lib/text/names.ts'
import { show } from '../../../lib/text/show.ts'
import type { BuildIdentification } from '../registry/identify.ts'
import { FILE_BYTES_MAX, FILENAME_MAX } from './model.ts'

/** Opens a session without a checksum, for a client that hashes the file while it sends it. */
const CHECKSUM_IN_LAST_CHUNK = 'checksum_in_last_chunk'

/** Truncates unknown field names in messages. */
const NAME_MAX = 60

const CHECKSUM = /^(?:sha256:)?([0-9a-f]{64})$/i
const IDENTIFICATION = ['build_id', 'build', 'version', 'build_type', 'os', 'arch', 'channel', 'app'] as const
/** The fields that open a session; `app_name` is the label given at registration. */
const SESSION_FIELDS = new Set<string>([
  'filename',
  'total_size',
  'checksum',
  CHECKSUM_IN_LAST_CHUNK,
  'app_name',
  'base_file_uid',
  ...IDENTIFICATION,
])

export function parseIdentification(fields: Fields): BuildIdentification {
  return Object.fromEntries(IDENTIFICATION.map((name) => [name, fields.get(name)]))
}

/** Returns lowercase hex without a prefix. */
export function parseChecksum(given: string | undefined): string {
  const hex = CHECKSUM.exec(given?.trim() ?? '')?.[1]
  if (hex !== undefined) return hex.toLowerCase()
  throw fieldFault('checksum must be the SHA-256 of the zip: 64 hex characters, with or without "sha256:".')
}

/** Returns null if the checksum comes with the last chunk. */
export function parseSessionChecksum(fields: Fields): string | null {
  const isLate = fields.get(CHECKSUM_IN_LAST_CHUNK) ?? 'false'
  if (isLate !== 'true' && isLate !== 'false')
    throw fieldFault(`${CHECKSUM_IN_LAST_CHUNK} must be true or false.`)
  return isLate === 'true' && !fields.has('checksum') ? null : parseChecksum(fields.get('checksum'))
}

/** After an error the client repeats the last chunk with the checksum; its bytes are already stored. */
export function parseLateChecksum(given: string | undefined, currentSize: number): string {
  try {
    return parseChecksum(given)
  } catch (cause) {
    const what = given === undefined ? 'is missing' : 'is not one'
    throw new AppError('upload_field_invalid', {
      message: `The checksum of this session, which comes with the last chunk, ${what}. Repeat the last byte with the field "checksum": the SHA-256 of the zip as 64 hex characters.`,
      data: { current_size: currentSize },
      cause,
    })
  }
}

export function parseFilename(given: string | undefined): string {
  const name = given?.trim().normalize() ?? ''
  if (!/.\.zip$/i.test(name)) throw fieldFault(`The filename must end in .zip; it is ${show(name)}.`)
  if (name.length > FILENAME_MAX)
    throw fieldFault(`The filename must have at most ${FILENAME_MAX} characters.`)
  if (/[/\\]/.test(name)) throw fieldFault('The filename must not contain folders.')
  if (hasUnfitCharacter(name)) {
    throw fieldFault('The filename must not contain control characters or others that cannot be seen.')
  }
  return name
}

export function parseTotalSize(given: string | undefined): number {
  const size = /^\d{1,16}$/.test(given ?? '') ? Number(given) : 0
  if (size > FILE_BYTES_MAX) throw fileTooLarge()
  if (size > 0) return size
  throw invalidField('total_size', 'must be the number of bytes of the file.')
}

export function fileTooLarge(): AppError {
  return new AppError('upload_too_large', {
    message: `The file is larger than 5 GB (${FILE_BYTES_MAX} bytes).`,
  })
}

function fieldFault(message: string): AppError {
  return new AppError('upload_field_invalid', { message })
}

/** Reads a form, where unknown fields are ignored, or JSON, where they are refused. */
export function toUploadFields(body: unknown): Fields {
  const fields = body instanceof URLSearchParams ? new Map(body) : parseJsonFields(body)
  for (const [name, value] of fields) {
    if (value.includes('\0')) throw invalidField(name, 'must not contain NUL characters.')
  }
  return fields
}

function parseJsonFields(body: unknown): Map<string, string> {
  if (body === undefined) return new Map()
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalidField('', 'must be a form or a JSON object.')
  const fields = new Map<string, string>()
  for (const [name, value] of Object.entries(body)) {
    if (!SESSION_FIELDS.has(name)) throw unknownField(name)
    const isFlag = typeof value === 'boolean' && name === CHECKSUM_IN_LAST_CHUNK
    if (typeof value === 'string' || typeof value === 'number' || isFlag) fields.set(name, String(value))
    else if (value !== null) throw invalidField(name, `must be a text or a number, not ${show(value)}.`)
  }
  return fields
}

function unknownField(name: string): AppError {
  const known = [...SESSION_FIELDS].join(', ')
  return invalidField(name.slice(0, NAME_MAX), `is not a known field; there are ${known}.`)
}
