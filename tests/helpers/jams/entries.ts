import { eq, sql } from 'drizzle-orm'

import { files } from '../../../src/db/schema/builds.ts'
import { jamEntries, jamPins, jams } from '../../../src/db/schema/jams.ts'
import type { EntryState } from '../../../src/features/jams/entries/model.ts'
import { pinDue } from '../../../src/features/jams/entries/pins.ts'
import { readData } from '../json.ts'
import { type GameRow, insertPublicGame } from '../listings.ts'
import type { Person } from '../people.ts'
import { release } from '../releases.ts'
import type { TestServer } from '../server.ts'
import { insertJam, type JamRow } from './jams.ts'

type JamValues = Parameters<typeof insertJam>[1]

export const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000)

/** A public jam that takes entries, unless other times are given. */
export async function insertRunning(server: TestServer, values: JamValues = {}): Promise<JamRow> {
  return await insertJam(server, { state: 'running', ...values })
}

/** How exactly a busy process knows the clock of the database. */
const CLOCK_ERROR_MS = 100

/** Ends the jam at this moment by the clock of the database. What is sent afterwards comes too late for certain. */
export async function endJam({ deps }: TestServer, { uid }: JamRow): Promise<void> {
  await deps.db
    .update(jams)
    .set({ endsAt: sql`clock_timestamp()` })
    .where(eq(jams.uid, uid))
  await Bun.sleep(CLOCK_ERROR_MS)
}

/** A public listing that fits every jam, with a stable build. */
export async function insertFit(
  server: TestServer,
  owner: Person,
  values: Parameters<typeof insertPublicGame>[2] = {},
): Promise<GameRow> {
  const game = await insertPublicGame(server, owner, values)
  await release(server, game.uid)
  return game
}

export const entryPath = (jam: JamRow, game: Pick<GameRow, 'uid'>) =>
  `/api/v1/private/jams/${jam.slug}/entries/${game.uid}`

export const putEntry = (person: Person, jam: JamRow, game: Pick<GameRow, 'uid'>, body: object = {}) =>
  person.json('PUT', entryPath(jam, game), body)

/** Enters the listing and returns its state. */
export async function submit(
  person: Person,
  jam: JamRow,
  game: Pick<GameRow, 'uid'>,
  body: object = {},
): Promise<EntryState> {
  const answer = await putEntry(person, jam, game, body)
  if (answer.status !== 200) throw new Error(`The entry was refused: ${await answer.text()}`)
  return await readData<EntryState>(answer)
}

export async function readState(
  person: Person,
  jam: JamRow,
  game: Pick<GameRow, 'uid'>,
): Promise<EntryState> {
  return await readData<EntryState>(await person.fetch(entryPath(jam, game)))
}

export const pinNow = ({ deps }: TestServer) => pinDue(deps, new AbortController().signal)

/** Ends the jam and fixes its versions, as the job does. */
export async function endAndPin(server: TestServer, jam: JamRow): Promise<void> {
  await endJam(server, jam)
  await pinNow(server)
}

export async function findPinnedAt({ deps }: TestServer, { uid }: JamRow): Promise<Date | null> {
  const [row] = await deps.db.select({ at: jams.pinnedAt }).from(jams).where(eq(jams.uid, uid))
  return row?.at ?? null
}

/** The pinned files of a listing in a jam. */
export async function listPins({ deps }: TestServer, jam: JamRow, game: Pick<GameRow, 'uid'>) {
  return await deps.db
    .select({ fileUid: jamPins.fileUid, buildUid: files.buildUid })
    .from(jamPins)
    .innerJoin(jamEntries, eq(jamEntries.uid, jamPins.entryUid))
    .innerJoin(files, eq(files.uid, jamPins.fileUid))
    .where(sql`${jamPins.jamUid} = ${jam.uid} and ${jamEntries.gameUid} = ${game.uid}`)
    .orderBy(jamPins.fileUid)
}
