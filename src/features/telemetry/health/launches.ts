import type { Transaction } from '../../../db/client.ts'
import { sha256Hex } from '../../../lib/bytes/hash.ts'
import { type DeviceMark, type SessionMark, upsertDevices, upsertSessions } from './queries.ts'
import { requestRating, slotOf } from './rate-build.ts'

/** Devices recorded per network and build; further ones are ignored. */
const DEVICES_PER_NETWORK = 1000

/** boot: sent boot_ok; crash: crashed; alive: the session continues; null: any other event. */
export type LaunchMark = 'boot' | 'crash' | 'alive' | null

export interface LaunchEvent {
  buildUid: string
  deviceId: string
  sessionId: string
  mark: LaunchMark
  /** Milliseconds. */
  at: number
  /** A keyed hash of the sender's network; null if it is unknown. */
  network: string | null
}

/** Order, repetition and concurrency of events do not change the resulting rows. */
export async function recordLaunches(
  tx: Transaction,
  events: readonly LaunchEvent[],
  now: number,
): Promise<void> {
  const { devices, sessions } = mergeLaunches(events)
  await upsertDevices(tx, devices, DEVICES_PER_NETWORK)
  if (sessions.length > 0) await upsertSessions(tx, sessions, now)
}

/** What a person says of a build that does not start: one device of theirs, however often they say it. Nothing may follow. */
export async function recordFailedLaunch(
  tx: Transaction,
  buildUid: string,
  userUid: string,
  now: number,
): Promise<void> {
  const deviceId = sha256Hex(`${buildUid} ${userUid}`).slice(0, 32)
  const event = { buildUid, deviceId, sessionId: 'said', mark: 'crash', at: now, network: null } as const
  await recordLaunches(tx, [event], now)
  await requestRating(tx, [buildUid], slotOf(now))
}

/** One mark per session and per device, however many events there are. */
export function mergeLaunches(events: readonly LaunchEvent[]): {
  devices: DeviceMark[]
  sessions: SessionMark[]
} {
  const devices = new Map<string, DeviceMark>()
  const sessions = new Map<string, SessionMark>()
  for (const event of events) {
    const { buildUid, deviceId, sessionId, mark, at, network } = event
    const deviceKey = `${buildUid}\0${deviceId}`
    const device = devices.get(deviceKey) ?? { buildUid, deviceId, bootAt: null, network }
    if (mark === 'boot') device.bootAt = earlier(device.bootAt, at)
    devices.set(deviceKey, device)
    if (mark === null) continue
    const sessionKey = `${deviceKey}\0${sessionId}`
    const session = sessions.get(sessionKey) ?? emptySession(event)
    markSession(session, mark, at)
    sessions.set(sessionKey, session)
  }
  return { devices: [...devices.values()], sessions: [...sessions.values()] }
}

function emptySession({ buildUid, deviceId, sessionId }: LaunchEvent): SessionMark {
  return { buildUid, deviceId, sessionId, bootAt: null, crashAt: null, firstAt: null, lastAt: null }
}

function markSession(session: SessionMark, mark: Exclude<LaunchMark, null>, at: number): void {
  if (mark === 'boot') session.bootAt = earlier(session.bootAt, at)
  else if (mark === 'crash') session.crashAt = earlier(session.crashAt, at)
  else {
    session.firstAt = earlier(session.firstAt, at)
    session.lastAt = Math.max(session.lastAt ?? at, at)
  }
}

function earlier(stored: number | null, at: number): number {
  return Math.min(stored ?? at, at)
}
