import { AppError } from '../../errors.ts'

const SEGMENT = /^[A-Za-z0-9._-]{1,200}$/
const MAX_KEY_LENGTH = 800

/** A leading dot is reserved for the store: unfinished uploads, object notes and the owner's id. */
export function isKey(key: string): boolean {
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
