import type { Database } from '../../../db/client.ts'
import { addPlayTime, type ClockRow, lockClock, storeClock } from './play-queries.ts'

/** A heartbeat; times are in milliseconds. */
export interface Beat {
  /** Device and session. */
  session: string
  at: number
}

export type PlayClock = Pick<ClockRow, 'creditedAt' | 'restMs' | 'sessions'>

/** What one heartbeat may be worth. */
const BEAT_MAX_MS = 5 * 60 * 1000
/** More copies of a game than anyone runs at once. */
const SESSIONS_KEPT = 4

export async function creditPlayTime(
  db: Database,
  userUid: string,
  gameUid: string,
  beats: readonly Beat[],
  now: number,
): Promise<void> {
  await db.transaction(async (tx) => {
    const before = await lockClock(tx, userUid, gameUid)
    const { seconds, clock } = creditBeats(before, beats, now)
    await storeClock(tx, { userUid, gameUid, ...clock })
    if (seconds > 0) await addPlayTime(tx, userUid, gameUid, seconds)
  })
}

/**
 * A session is worth the time since its last heartbeat, but never more than passed here since we heard of it. What
 * passed here is given out once, so that two sessions at a time are worth no more than one.
 */
export function creditBeats(
  before: PlayClock,
  beats: readonly Beat[],
  now: number,
): { clock: PlayClock; seconds: number } {
  let { creditedAt, restMs } = before
  const sessions = new Map(before.sessions.map((session) => [session.id, session]))
  for (const [id, own] of Map.groupBy(beats, ({ session }) => session)) {
    const known = sessions.get(id)
    const times = own.map(({ at }) => at).sort((a, b) => a - b)
    if (known) {
      const passed = now - Math.max(known.heardAt, creditedAt)
      const credit = Math.max(0, Math.min(passed, claimOf(known.lastAt, times)))
      if (credit > 0) creditedAt = now
      restMs += credit
    }
    const lastAt = Math.max(known?.lastAt ?? 0, ...times)
    sessions.delete(id)
    sessions.set(id, { id, lastAt, heardAt: now })
  }
  return {
    clock: { creditedAt, restMs: restMs % 1000, sessions: [...sessions.values()].slice(-SESSIONS_KEPT) },
    seconds: Math.floor(restMs / 1000),
  }
}

function claimOf(lastAt: number, times: readonly number[]): number {
  let claimed = 0
  let previous = lastAt
  for (const at of times) {
    claimed += Math.min(Math.max(0, at - previous), BEAT_MAX_MS)
    previous = Math.max(previous, at)
  }
  return claimed
}
