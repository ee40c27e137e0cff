import { AppError, nulRefused } from '../../../errors.ts'
import {
  bodyTooDeep,
  bodyTooLarge,
  bodyTooWide,
  isJsonType,
  JSON_BODY_LIMIT,
  mediaTypeOf,
  readText,
} from '../../../http/input/body.ts'
import { JSON_DEPTH_MAX, measureJson } from '../../../lib/json.ts'

/** Enough for the longest field: a token or the keys of a client. */
const BODY_MAX = 64 * 1024
const PARTS_MAX = 1000
const FORM = 'application/x-www-form-urlencoded'

/**
 * The account library parses bodies itself and reports every fault in them, so it only receives bodies for which
 * that is cheap: small, flat, and of a content type that its routes accept.
 */
export async function readAuthBody(request: Request): Promise<string> {
  const body = await readText(request, JSON_BODY_LIMIT)
  if (body === '') return body
  if (body.includes('\0') || body.includes(String.raw`\u0000`) || body.includes('%00')) {
    throw nulRefused()
  }
  const parts = countParts(body, mediaTypeOf(request.headers.get('content-type')))
  if (parts > PARTS_MAX) throw bodyTooWide(PARTS_MAX)
  if (body.length > BODY_MAX) throw bodyTooLarge(BODY_MAX)
  return body
}

function countParts(body: string, type: string): number {
  if (type === FORM) return body.split('&').length
  if (!isJsonType(type)) throw new AppError('unsupported_media_type')
  const { depth, parts } = measureJson(body)
  if (depth > JSON_DEPTH_MAX) throw bodyTooDeep()
  return parts
}
