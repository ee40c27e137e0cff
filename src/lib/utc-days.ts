export const DAY_MS = 24 * 60 * 60 * 1000

/** The UTC day of a moment in milliseconds, like `2026-01-31`. */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

/** Seconds until the next midnight UTC, at least one. */
export function secondsLeftOfDay(ms: number): number {
  return Math.ceil((DAY_MS - (ms % DAY_MS)) / 1000)
}
