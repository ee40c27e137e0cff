import { isExtstoreId } from '../../domain/extstore-id.ts'
import { parseJson } from '../../lib/json.ts'

/** Readers for answers whose types cannot be relied on: numbers come as texts, lists hold nulls, fields are missing. */

type Fields = Readonly<Record<string, unknown>>

const NOTHING: Fields = {}

/** Whole numbers that a number cannot hold come as their digits. */
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

/** Without NUL and halves of characters, which Postgres cannot store. */
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

/** A whole number from 0, also out of `"17+"`; null where there is none. */
export function numberOf(value: unknown): number | null {
  const number = typeof value === 'string' ? Number.parseInt(value, 10) : value
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : null
}

export function numbersOf(value: unknown): number[] {
  return listOf(value).flatMap((entry) => numberOf(entry) ?? [])
}

/** The digits of a 64-bit account; null for anything else, zero included. */
export function accountIdOf(value: unknown): string | null {
  const digits = textOf(value)
  return isExtstoreId(digits) ? digits : null
}
