import { DAY_MS } from './utc-days.ts'

export interface SentTime {
  /** The time on the sender's clock. */
  sentAt: number
  /** The same, but at most a day from our own clock. */
  at: number
}

/** Returns null for an invalid time. In milliseconds. */
export function readSentTime(text: string, now: number): SentTime | null {
  const sentAt = Date.parse(text)
  if (Number.isNaN(sentAt)) return null
  return { sentAt, at: Math.min(Math.max(sentAt, now - DAY_MS), now + DAY_MS) }
}
