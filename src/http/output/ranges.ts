import type { ByteRange } from '../../clients/object-store/object-store.ts'

/**
 * The single range that a request asks for of this version. Null for anything else, including several ranges: the whole
 * is sent then, as the standard allows.
 */
export function readRange(headers: Headers, etag: string): ByteRange | null {
  const known = headers.get('if-range')
  if (known !== null && known !== etag) return null
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(headers.get('range')?.trim() ?? '') ?? []
  if (first === undefined || last === undefined || (first === '' && last === '')) return null
  if (first === '') return { suffix: Number(last) }
  if (last === '') return { start: Number(first) }
  return Number(first) > Number(last) ? null : { start: Number(first), end: Number(last) }
}
