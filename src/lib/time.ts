export const MINUTE_MS = 60_000
export const DAY_MS = 24 * 60 * 60 * 1000

/** The UTC day of a moment in milliseconds, like `2026-01-31`. */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

/** Seconds until the next midnight UTC, at least one. */
export function secondsLeftOfDay(ms: number): number {
  return Math.ceil((DAY_MS - (ms % DAY_MS)) / 1000)
}

interface SentTime {
  /** The time on the sender's clock. */
  sentAt: number
  /** The same, but at most a day from our own clock. */
  at: number
}

/** Returns null for an invalid time. In milliseconds. */
export function parseSentTime(text: string, now: number): SentTime | null {
  const sentAt = Date.parse(text)
  if (Number.isNaN(sentAt)) return null
  return { sentAt, at: Math.min(Math.max(sentAt, now - DAY_MS), now + DAY_MS) }
}
