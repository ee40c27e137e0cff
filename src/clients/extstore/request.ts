import { isExtstoreId } from '../../domain/external-store.ts'
import { readLimited, TooLarge } from '../../lib/bytes/streams.ts'
import { parseJson } from '../../lib/json.ts'
import { ExtStoreFailure } from './client.ts'

interface StoreRequest {
  /** Without the query. */
  address: string
  params: Readonly<Record<string, string>>
  /** Sends the parameters as a form instead of in the address. */
  isForm?: boolean
  signal: AbortSignal
}

/** Ten times the longest known response, the app list of a large publisher. */
const RESPONSE_MAX = 8 * 1024 * 1024
const LOST = new Set(['ECONNRESET', 'EPIPE', 'ConnectionClosed'])
const NOTHING: Fields = {}

export async function requestJson(request: StoreRequest): Promise<unknown> {
  const text = await requestText(request)
  try {
    return parseUntrusted(text)
  } catch {
    throw noResponse('The external store answered something that is not JSON')
  }
}

/** Retries once after a lost connection, but not after a timeout. No request changes anything. */
export async function requestText(request: StoreRequest): Promise<string> {
  try {
    return await requestOnce(request)
  } catch (error) {
    if (!isLostConnection(error)) throw toFailure(error)
  }
  try {
    return await requestOnce(request)
  } catch (error) {
    throw toFailure(error)
  }
}

async function requestOnce({ address, params, isForm = false, signal }: StoreRequest): Promise<string> {
  const query = new URLSearchParams(params)
  const options = { signal, redirect: 'manual', headers: { accept: 'application/json' } } as const
  const answer = isForm
    ? await fetch(address, { ...options, method: 'POST', body: query })
    : await fetch(`${address}?${query.toString()}`, options)
  if (answer.status !== 200) {
    await answer.body?.cancel()
    if (params.key !== undefined && (answer.status === 401 || answer.status === 403)) {
      throw new ExtStoreFailure('key_refused', `The external store refused the key (${answer.status})`)
    }
    throw noResponse(`The external store answered with status ${answer.status}`)
  }
  return new TextDecoder().decode(await readLimited(answer.body, RESPONSE_MAX))
}

export function noResponse(message: string): ExtStoreFailure {
  return new ExtStoreFailure('no_answer', message)
}

function isLostConnection(error: unknown): boolean {
  return LOST.has(codeOf(error))
}

/** The runtime's errors contain the address and with it the key, so only their code is passed on. */
function toFailure(error: unknown): ExtStoreFailure {
  if (error instanceof ExtStoreFailure) return error
  if (error instanceof TooLarge) return noResponse('The external store answered too much')
  if (error instanceof DOMException) return noResponse('The external store did not answer in time')
  return noResponse(`The external store cannot be reached (${codeOf(error) || 'unknown'})`)
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** Parsers for responses with unreliable types: numbers as strings, nulls in lists, missing fields. */

type Fields = Readonly<Record<string, unknown>>

/** Integers too large for a JavaScript number are returned as strings of digits. */
export function parseUntrusted(text: string): unknown {
  return parseJson(text, { reviver: keepDigits })
}

function keepDigits(this: unknown, _: string, value: unknown, context?: { source?: string }): unknown {
  const isRounded = typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)
  return isRounded ? (context?.source ?? value) : value
}

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : NOTHING
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.filter((entry) => entry !== null && entry !== undefined) : []
}

/** Removes NUL and replaces lone surrogates, which Postgres cannot store. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value.replaceAll('\0', '').toWellFormed().trim()
  return typeof value === 'number' ? String(value) : ''
}

export function textsOf(value: unknown): string[] {
  return listOf(value)
    .map(textOf)
    .filter((text) => text !== '')
}

export function flagOf(value: unknown): boolean {
  return value === true || value === 1 || value === '1' || value === 'true'
}

/** A non-negative integer, also parsed from `"17+"`; null otherwise. */
export function numberOf(value: unknown): number | null {
  const number = typeof value === 'string' ? Number.parseInt(value, 10) : value
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : null
}

export function numbersOf(value: unknown): number[] {
  return listOf(value).flatMap((entry) => numberOf(entry) ?? [])
}

/** A 64-bit account id as digits; null for anything else, including zero. */
export function accountIdOf(value: unknown): string | null {
  const digits = textOf(value)
  return isExtstoreId(digits) ? digits : null
}
