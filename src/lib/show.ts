const SHOWN_MAX = 60

/** For error messages: a short text or number as it was sent, anything longer cut, lists and objects by their kind. */
export function show(value: unknown): string {
  if (typeof value === 'string') {
    return value.length > SHOWN_MAX ? `${JSON.stringify(value.slice(0, SHOWN_MAX))}…` : JSON.stringify(value)
  }
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}
