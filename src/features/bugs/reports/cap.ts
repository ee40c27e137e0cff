import { AppError } from '../../../errors.ts'

const DAY_SECONDS = 24 * 60 * 60

/** How many reports the filer has left today, as the rate-limit headers show it. */
export interface Quota {
  cap: number
  remaining: number
}

export function quotaHeaders({ cap, remaining }: Quota): Record<string, string> {
  return {
    'ratelimit-limit': String(cap),
    'ratelimit-remaining': String(remaining),
    'ratelimit-reset': String(secondsToMidnight()),
  }
}

export function requireRoom(cap: number, count: number): Quota {
  if (count < cap) return { cap, remaining: cap - count - 1 }
  const headers = { ...quotaHeaders({ cap, remaining: 0 }), 'retry-after': String(secondsToMidnight()) }
  throw new AppError('bug_cap_reached', { headers })
}

/** Until the next UTC day. */
function secondsToMidnight(): number {
  return DAY_SECONDS - (Math.floor(Date.now() / 1000) % DAY_SECONDS)
}
