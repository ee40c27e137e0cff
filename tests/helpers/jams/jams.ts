import { eq } from 'drizzle-orm'

import { notify } from '../../../src/db/notify/notify.ts'
import { jamMembers, jamPeople, jams } from '../../../src/db/schema/jams.ts'
import type { JamState } from '../../../src/domain/jams.ts'
import { JAMS_CHANGED } from '../../../src/features/jams/access.ts'
import type { Jam, OwnJam } from '../../../src/features/jams/jams/model.ts'
import { DAY_MS } from '../../../src/lib/time.ts'
import { readData } from '../json.ts'
import type { Person } from '../people.ts'
import type { ReachableServer, TestServer } from '../server.ts'

export type JamRow = typeof jams.$inferSelect
type JamValues = Partial<typeof jams.$inferInsert>

const HOUR_MS = 60 * 60 * 1000

export const jamsPath = (jam: { uid: string } | string, tail = '') =>
  `/api/v1/private/jams/${typeof jam === 'string' ? jam : jam.uid}${tail}`

/** So many hours from now, as the API takes times. */
export const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString()

/** The times of a jam that is in a state now, and stays in it for hours. */
export function timesOf(state: JamState): Pick<JamRow, 'startsAt' | 'endsAt' | 'votingEndsAt'> {
  const [start, end, votingEnd] = {
    coming: [1, 3, 10],
    running: [-1, 2, 9],
    voting: [-3, -1, 6],
    past: [-20, -15, -5],
  }[state]
  const at = (days: number) => new Date(Date.now() + days * DAY_MS)
  return { startsAt: at(start ?? 0), endsAt: at(end ?? 0), votingEndsAt: at(votingEnd ?? 0) }
}

/** A public jam in the database, without hosts unless one is named. */
export async function insertJam(
  server: TestServer,
  { state = 'coming', host, ...values }: JamValues & { state?: JamState; host?: Person } = {},
): Promise<JamRow> {
  const unique = crypto.randomUUID().slice(0, 8)
  const [row] = await server.deps.db
    .insert(jams)
    .values({
      slug: `jam-${unique}`,
      title: `Jam ${unique}`,
      visibility: 'public',
      criteria: [{ name: 'Overall', text: '', primary: true }],
      ...timesOf(state),
      ...values,
    })
    .returning()
  if (!row) throw new Error('The jam was not stored')
  if (host) await insertHost(server, row, host)
  await notify(server.deps.db, JAMS_CHANGED, row.uid)
  return row
}

export async function insertHost(
  server: TestServer,
  { uid }: { uid: string },
  person: Person,
): Promise<void> {
  await server.deps.db.insert(jamPeople).values({ jamUid: uid, userUid: person.uid, role: 'host' })
}

export async function insertMember(
  server: TestServer,
  { uid }: { uid: string },
  person: Person,
): Promise<void> {
  await server.deps.db.insert(jamMembers).values({ jamUid: uid, userUid: person.uid })
}

/** As if its times had been other ones from the beginning. */
export async function moveJam(
  server: TestServer,
  { uid }: { uid: string },
  values: JamValues,
): Promise<void> {
  await server.deps.db.update(jams).set(values).where(eq(jams.uid, uid))
}

/** What a new jam needs, with a start that is a day ahead. */
export const jamInput = (fields: object = {}) => ({
  title: `Lantern Jam ${crypto.randomUUID().slice(0, 8)}`,
  starts_at: inHours(24),
  ends_at: inHours(72),
  ...fields,
})

/** Makes a jam through the API and returns it. */
export async function makeJam(person: Person, fields: object = {}): Promise<OwnJam> {
  const answer = await person.json('POST', '/api/v1/private/jams', jamInput(fields))
  if (answer.status !== 201) throw new Error(`The jam was refused: ${await answer.text()}`)
  return await readData<OwnJam>(answer)
}

export async function editJam(
  person: Person,
  jam: { uid: string },
  patch: object,
  headers: Record<string, string> = {},
): Promise<Response> {
  return await person.fetch(jamsPath(jam), {
    method: 'PATCH',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(patch),
  })
}

export async function readJam(server: ReachableServer, ref: string): Promise<Jam> {
  return await readData<Jam>(await server.fetch(`/api/v1/public/jams/${ref}`))
}

export async function readOwnJam(person: Person, ref: string): Promise<OwnJam> {
  return await readData<OwnJam>(await person.fetch(jamsPath(ref)))
}
