import type { Transaction } from '../../../db/client.ts'
import { type DeviceMark, type SessionMark, upsertDevices, upsertSessions } from './launch-queries.ts'

/** More devices of one network, per build, are not recorded. */
const DEVICES_PER_NETWORK = 1000

/** boot: it sent boot_ok; crash: it crashed; alive: its session goes on; null: it was heard from. */
export type LaunchMark = 'boot' | 'crash' | 'alive' | null

export interface LaunchEvent {
  buildUid: string
  deviceId: string
  sessionId: string
  mark: LaunchMark
  /** Milliseconds. */
  at: number
  /** Of the sender, as a keyed hash; null where it is not known. */
  network: string | null
}

/** Any order, any repetition and any number of writers at once lead to the same rows. */
export async function recordLaunches(
  tx: Transaction,
  events: readonly LaunchEvent[],
  now: number,
): Promise<void> {
  const { devices, sessions } = mergeLaunches(events)
  await upsertDevices(tx, devices, DEVICES_PER_NETWORK)
  if (sessions.length > 0) await upsertSessions(tx, sessions, now)
}

/** One mark for each session and device, however many events there are. */
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

function earlier(known: number | null, at: number): number {
  return Math.min(known ?? at, at)
}
