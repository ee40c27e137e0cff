import { sql } from 'drizzle-orm'

import type { BuildRow } from './builds.ts'
import { randomAddress } from './people.ts'
import type { TestServer } from './server.ts'

interface SentEvent {
  name: string
  device_id: string
  session_id: string
  at: string
  metadata?: Record<string, unknown>
}

type Sender = Pick<BuildRow, 'uid' | 'gameUid'>

export function makeEvent(values: Partial<SentEvent> = {}): SentEvent {
  return {
    name: 'boot_ok',
    device_id: 'device',
    session_id: 'session',
    at: new Date().toISOString(),
    ...values,
  }
}

export function makeCrash(values: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    device_id: 'device',
    session_id: 'session',
    at: new Date().toISOString(),
    before_boot: true,
    reason: 'SIGSEGV',
    frames: [{ module: 'game', offset: 4096 }],
    ...values,
  }
}

/** By default every request comes from another address, so that no limit is reached. */
export async function postAsGame(
  server: TestServer,
  path: 'events' | 'crashes',
  build: Sender,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return await server.fetch(`/api/v1/public/${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-app-id': build.gameUid,
      'x-build-id': build.uid,
      'x-forwarded-for': randomAddress(),
      ...headers,
    },
    body: JSON.stringify(body),
  })
}

/** Sends any number of events in batches of the maximum size; fails if they are not accepted. */
export async function sendEvents(
  server: TestServer,
  build: Sender,
  events: readonly SentEvent[],
  headers: Record<string, string> = {},
): Promise<void> {
  for (let start = 0; start < events.length; start += 100) {
    const answer = await postAsGame(
      server,
      'events',
      build,
      { events: events.slice(start, start + 100) },
      headers,
    )
    if (answer.status !== 202)
      throw new Error(`The events were answered ${answer.status}: ${await answer.text()}`)
  }
}

export interface StoredEvent {
  name: string
  device_id: string
  session_id: string
  at: string
  metadata: unknown
}

/** Returns the stored events of a build, oldest first. */
export async function readEvents(server: TestServer, build: Sender): Promise<StoredEvent[]> {
  const rows = await server.deps.db.execute<StoredEvent & Record<string, unknown>>(sql`
    select name, device_id, session_id, at, metadata from ingest.events where build_uid = ${build.uid} order by at, name`)
  return rows.map((row) => ({ ...row, at: new Date(row.at).toISOString() }))
}
