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
