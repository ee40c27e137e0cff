import { AppError } from '../../errors.ts'
import { parseJson } from '../../lib/json.ts'

const SEGMENT = /^[A-Za-z0-9._-]{1,200}$/
const MAX_KEY_LENGTH = 800

/** A leading dot is reserved for the object store: unfinished uploads, object notes and the owner's id. */
function isKey(key: string): boolean {
  const segments = key.split('/')
  return (
    key.length <= MAX_KEY_LENGTH &&
    !key.startsWith('.') &&
    segments.every((segment) => SEGMENT.test(segment) && segment !== '.' && segment !== '..')
  )
}

export function requireKey(key: string): string {
  if (!isKey(key)) throw new AppError('invalid_request', { message: 'This is not a valid object key.' })
  return key
}

/** A prefix is the beginning of a key and may end anywhere. */
export function requirePrefix(prefix: string): string {
  if (prefix !== '' && !isKey(prefix.endsWith('/') ? `${prefix}x` : prefix)) {
    throw new AppError('invalid_request', { message: 'This is not the beginning of a valid object key.' })
  }
  return prefix
}

/** `token` is our own id and marks the finished object; `remote` is the store's upload id, if it has one. */
interface UploadId {
  key: string
  token: string
  remote: string
}

const TOKEN = /^[0-9a-f-]{36}$/

export function encodeUploadId({ key, token, remote }: UploadId): string {
  return Buffer.from(JSON.stringify([key, token, remote])).toString('base64url')
}

export function decodeUploadId(id: string): UploadId {
  const [key, token, remote] = parseStrings(Buffer.from(id, 'base64url').toString())
  if (key === undefined || token === undefined || remote === undefined) throw uploadGone()
  if (!isKey(key) || !TOKEN.test(token)) throw uploadGone()
  return { key, token, remote }
}

export function uploadGone(): AppError {
  return new AppError('upload_session_gone')
}

function parseStrings(json: string): string[] {
  try {
    const value = parseJson(json)
    return Array.isArray(value) ? value.filter((part) => typeof part === 'string') : []
  } catch {
    return []
  }
}
