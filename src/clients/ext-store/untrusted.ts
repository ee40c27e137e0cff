import { isExtstoreId } from '../../domain/extstore-id.ts'
import { parseJson } from '../../lib/json.ts'

/** Parsers for responses with unreliable types: numbers as strings, nulls in lists, missing fields. */

type Fields = Readonly<Record<string, unknown>>

const NOTHING: Fields = {}

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
