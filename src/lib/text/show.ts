import { once } from '../flow/memoize.ts'

const SHOWN_MAX = 60

/**
 * Formats a value for an error message: short texts and numbers as sent, longer ones cut, lists and objects
 * by kind.
 */
export function show(value: unknown): string {
  if (typeof value === 'string') {
    return value.length > SHOWN_MAX ? `${JSON.stringify(value.slice(0, SHOWN_MAX))}…` : JSON.stringify(value)
  }
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}

const numbers = once(() => new Intl.NumberFormat('en-US'))

/** "1,200" */
export function formatNumber(value: number): string {
  // Most are small, and pages show hundreds of them.
  if (Number.isInteger(value) && value >= 0 && value < 1000) return String(value)
  return numbers().format(value)
}

/** "1 game", "2 games" */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`
}

const ORDINAL_ENDS: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd' }
const ordinals = once(() => new Intl.PluralRules('en-US', { type: 'ordinal' }))

/** "1st", "2nd", "11th" */
export function formatOrdinal(value: number): string {
  return `${formatNumber(value)}${ORDINAL_ENDS[ordinals().select(value)] ?? 'th'}`
}

/** "40 seconds", "2 minutes", "3 hours": rounded up. */
export function formatDuration(seconds: number): string {
  const [amount, unit] =
    seconds < 90 ? [seconds, 'second'] : seconds < 5400 ? [seconds / 60, 'minute'] : [seconds / 3600, 'hour']
  const whole = Math.ceil(amount)
  return plural(whole, unit)
}

const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const
/** KB is 1,024 bytes. */
const STEP = 1024
const SIZE = /^(\d{1,16}(?:\.\d+)?)\s*(?:([kmgt])i?)?b?$/i

/** Reads "50 GB", "16MB", "500k" or a number of bytes; null if it is none, or too large to be exact. */
export function parseBytes(text: string): number | null {
  const [, number, unit = ''] = SIZE.exec(text.trim()) ?? []
  if (number === undefined) return null
  const bytes = Math.round(Number(number) * STEP ** '_kmgt'.indexOf(unit.toLowerCase() || '_'))
  return Number.isSafeInteger(bytes) ? bytes : null
}

export function formatBytes(bytes: number): string {
  const power = Math.min(UNITS.length - 1, bytes < STEP ? 0 : Math.floor(Math.log2(bytes) / 10))
  if (bytes === 1) return '1 byte'
  const value = bytes / STEP ** power
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[power]}`
}

/** An amount of US cents, like `$4.99`. */
export function formatDollars(cents: number): string {
  return `$${(cents / 100).toFixed(2)}`
}
