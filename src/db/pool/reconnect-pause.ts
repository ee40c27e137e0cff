const SECONDS_MAX = 1

/** The driver's own pauses grow to 20 seconds, which would delay the recovery after an outage. */
export function reconnectPause(attempts: number): number {
  return Math.random() * Math.min(SECONDS_MAX, 3 ** attempts / 100)
}
