const DAY_MS = 24 * 60 * 60 * 1000

export interface SentTime {
  /** As the sender's clock told. */
  sentAt: number
  /** The same, but never more than a day away from our own clock. */
  at: number
}

/** null for what is no time at all. In milliseconds. */
export function readSentTime(text: string, now: number): SentTime | null {
  const sentAt = Date.parse(text)
  if (Number.isNaN(sentAt)) return null
  return { sentAt, at: Math.min(Math.max(sentAt, now - DAY_MS), now + DAY_MS) }
}
