import type { Deps } from '../../../deps.ts'
import type { Anonymous, Player } from '../../../domain/actor.ts'
import { invalidField } from '../../../errors.ts'
import { parseSentTime } from '../../../lib/time.ts'
import { type Accepted, EVENTS_MAX, type GameEvent, type GameEvents, METADATA_KEYS_MAX } from './model.ts'
import { creditPlayTime } from './play-time.ts'
import type { EventRow } from './queries.ts'
import type { Sender } from './sender.ts'
import type { EventWriter } from './writer.ts'

/** Returns after everything is committed. */
export async function acceptEvents(
  { db }: Pick<Deps, 'db'>,
  writer: EventWriter,
  sender: Sender,
  visitor: Anonymous | Player,
  { events }: GameEvents,
  now: number,
): Promise<Accepted> {
  const rows = events.map((event, index) => toRow(sender, event, index, now))
  await writer.write(sender, rows)
  const beats = rows
    .filter(({ name }) => name === 'heartbeat')
    .map(({ deviceId, sessionId, at }) => ({ session: `${deviceId} ${sessionId}`, at }))
  if (visitor.kind === 'player' && beats.length > 0) {
    await creditPlayTime(db, visitor.userUid, sender.gameUid, beats, now)
  }
  return { accepted: events.length }
}

/** Checked before the body is validated, because too many events have a code of their own. */
export function refuseTooMany(body: unknown): void {
  const events = fieldOf(body, 'events')
  if (!Array.isArray(events)) return
  if (events.length > EVENTS_MAX) {
    const fault = `must have at most ${EVENTS_MAX} entries, not ${events.length}. Split the request.`
    throw invalidField('events', fault, { kind: 'too_large' })
  }
  for (const [index, event] of events.entries()) {
    const metadata = fieldOf(event, 'metadata')
    const keys = typeof metadata === 'object' && metadata !== null ? Object.keys(metadata).length : 0
    if (keys > METADATA_KEYS_MAX) {
      const fault = `must have at most ${METADATA_KEYS_MAX} keys, not ${keys}.`
      throw invalidField(`events.${index}.metadata`, fault, { kind: 'too_large' })
    }
  }
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

function toRow({ buildUid, network }: Sender, event: GameEvent, index: number, now: number): EventRow {
  const { name, device_id: deviceId, session_id: sessionId, metadata } = event
  const time = parseSentTime(event.at, now)
  if (!time) throw invalidField(`events.${index}.at`, 'must be a time such as 2026-01-31T12:00:00.000Z.')
  // Uses the time as sent: a repeated event would be clamped to another time.
  const identity = `${buildUid}\0${deviceId}\0${sessionId}\0${name}\0${time.sentAt}`
  return {
    buildUid,
    deviceId,
    sessionId,
    name,
    at: time.at,
    key: BigInt.asIntN(64, Bun.hash.xxHash3(identity)).toString(),
    metadata: metadata === undefined ? null : JSON.stringify(metadata),
    network,
  }
}
