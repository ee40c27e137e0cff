import type { Database } from '../../../db/client.ts'
import { addPlayTime, type ClockRow, lockClock, storeClock } from './queries.ts'

/** A heartbeat; times are in milliseconds. */
export interface Beat {
  /** Device and session. */
  session: string
  at: number
}

export type PlayClock = Pick<ClockRow, 'creditedAt' | 'restMs' | 'sessions'>

/** The most play time that one heartbeat can earn. */
const BEAT_MAX_MS = 5 * 60 * 1000
/** The most sessions tracked per player and game; nobody runs more copies at once. */
const SESSIONS_MAX = 4

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
 * A session earns the time since its last heartbeat, but no more than has passed on the server since then.
 * Server time is credited once, so that two concurrent sessions earn no more than one.
 */
export function creditBeats(
  before: PlayClock,
  beats: readonly Beat[],
  now: number,
): { clock: PlayClock; seconds: number } {
  let { creditedAt, restMs } = before
  const sessions = new Map(before.sessions.map((session) => [session.id, session]))
  for (const [id, own] of Map.groupBy(beats, ({ session }) => session)) {
    const previous = sessions.get(id)
    const times = own.map(({ at }) => at).sort((a, b) => a - b)
    if (previous) {
      const passed = now - Math.max(previous.heardAt, creditedAt)
      const credit = Math.max(0, Math.min(passed, claimOf(previous.lastAt, times)))
      if (credit > 0) creditedAt = now
      restMs += credit
    }
    const lastAt = Math.max(previous?.lastAt ?? 0, ...times)
    sessions.delete(id)
    sessions.set(id, { id, lastAt, heardAt: now })
  }
  return {
    clock: { creditedAt, restMs: restMs % 1000, sessions: [...sessions.values()].slice(-SESSIONS_MAX) },
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
