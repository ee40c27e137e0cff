import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'

import { eq, sql } from 'drizzle-orm'

import { openDatabase } from '../../src/db/client.ts'
import { builds } from '../../src/db/schema/builds.ts'
import { jamEntries, jamPins, jams } from '../../src/db/schema/jams.ts'
import { pinVersions } from '../../src/features/jams/jobs.ts'
import { enqueue } from '../../src/jobs/queue.ts'
import { endJam, findPinnedAt, insertRunning, pinNow, putEntry } from '../helpers/jams/entries.ts'
import type { JamRow } from '../helpers/jams/jams.ts'
import { insertManyFit } from '../helpers/jams/many-entries.ts'
import { readFailure } from '../helpers/json.ts'
import { asPerson, type Person, signUp } from '../helpers/people.ts'
import { type ChildServer, startChild } from '../helpers/processes/child.ts'
import { TEST_SECRET_KEY } from '../helpers/server.ts'
import { useStore } from '../helpers/store.ts'
import { waitFor } from '../helpers/wait.ts'

const server = useStore({ TRUST_PROXY: '1' })
const PRELOAD = join(import.meta.dir, '../helpers/processes/shifted-clock.ts')

/** A process of the same store, whose clock may be wrong. */
async function startProcess(role: string, shiftMs = 0): Promise<ChildServer> {
  return await startChild({
    env: {
      DATABASE_URL: server.databaseUrl,
      DATA_DIR: server.dataDir,
      SECRET_KEY: TEST_SECRET_KEY,
      BASE_URL: server.url,
      TRUST_PROXY: '1',
      STORAGE_RESERVE: '0',
      ROLE: role,
      LOG_LEVEL: 'info',
      CLOCK_SHIFT_MS: String(shiftMs),
      BUN_OPTIONS: `--preload=${PRELOAD}`,
    },
  })
}

describe('two processes whose clocks differ by two seconds', () => {
  const PEOPLE = 400
  const EACH = 5
  let processes: ChildServer[] = []
  beforeAll(async () => {
    processes = await Promise.all([startProcess('api', -1000), startProcess('api', 1000)])
  })
  afterAll(async () => {
    for (const child of processes) child.kill('SIGTERM')
    await Promise.all(processes.map(({ exited }) => exited))
  })

  const at = (person: Person, nth: number) => {
    const url = processes[nth % processes.length]?.url ?? ''
    return asPerson({ url: server.url, fetch: (path, init) => fetch(url + path, init) }, person)
  }
  const countEntries = (jam: JamRow) => server.deps.db.$count(jamEntries, eq(jamEntries.jamUid, jam.uid))

  test('take 2,000 entries of the last minute, none after it, and tell each the truth', async () => {
    const jam = await insertRunning(server, {
      entriesPerPerson: EACH,
      endsAt: new Date(Date.now() + 600_000),
    })
    const people = await Promise.all(Array.from({ length: PEOPLE }, () => signUp(server)))
    const games = await insertManyFit(server, people, EACH)
    const wanted = people.flatMap((person) =>
      (games.get(person.uid) ?? []).map((uid) => ({ person, game: { uid } })),
    )
    expect(wanted).toHaveLength(PEOPLE * EACH)
    const [early, close] = [wanted.slice(0, 1700), wanted.slice(1700)]
    await server.deps.db
      .update(jams)
      .set({ endsAt: sql`clock_timestamp() + interval '1 minute'` })
      .where(eq(jams.uid, jam.uid))
    const taken = await Promise.all(
      early.map(async ({ person, game }, nth) => (await putEntry(at(person, nth), jam, game)).status),
    )
    expect(
      Map.groupBy(taken, (status) => status)
        .keys()
        .toArray(),
    ).toEqual([200])
    expect(await countEntries(jam)).toBe(early.length)

    // Now around the end itself, through both processes in turn.
    const END_MS = 3000
    await server.deps.db
      .update(jams)
      .set({ endsAt: sql`clock_timestamp() + make_interval(secs => ${END_MS / 1000})` })
      .where(eq(jams.uid, jam.uid))
    const [row] = await server.deps.db.select().from(jams).where(eq(jams.uid, jam.uid))
    const end = row?.endsAt.getTime() ?? 0
    const said = await Promise.all(
      close.map(async ({ person, game }, nth) => {
        await Bun.sleep((nth * 2 * END_MS) / close.length)
        const sent = Date.now()
        const answer = await putEntry(at(person, nth), jam, game)
        const code = answer.status === 200 ? 200 : (await readFailure(answer)).code
        return { game, sent, answered: Date.now(), code }
      }),
    )
    expect(new Set(said.map(({ code }) => code))).toEqual(new Set([200, 4121]))
    const stored = await server.deps.db.select().from(jamEntries).where(eq(jamEntries.jamUid, jam.uid))
    const entered = new Map(stored.map((entry) => [entry.gameUid, entry.submittedAt.getTime()]))
    for (const { game, sent, answered, code } of said) {
      // Whoever was told that it is in is in, and nobody else.
      expect(entered.has(game.uid)).toBe(code === 200)
      // What was answered by the end was in time, and what was sent after it was not; clocks are read in milliseconds.
      if (answered < end - 50) expect(code).toBe(200)
      if (sent > end + 50) expect(code).toBe(4121)
      if (code === 200) expect(entered.get(game.uid)).toBeLessThan(end)
    }
  }, 300_000)
})

describe('a process that is killed while it fixes the versions of a jam', () => {
  test('leaves nothing half done: the next one finishes, once', async () => {
    const ENTRIES = 120
    const jam = await insertRunning(server, { entriesPerPerson: 5 })
    const people = await Promise.all(Array.from({ length: 4 }, () => signUp(server)))
    const games = [...(await insertManyFit(server, people, ENTRIES / 4)).values()].flat()
    const [owner] = people
    await server.deps.db
      .insert(jamEntries)
      .values(games.map((gameUid) => ({ jamUid: jam.uid, gameUid, submittedBy: owner?.uid ?? null })))
    const entries = await server.deps.db
      .select()
      .from(jamEntries)
      .where(eq(jamEntries.jamUid, jam.uid))
      .orderBy(jamEntries.uid)
    const countPins = () => server.deps.db.$count(jamPins, eq(jamPins.jamUid, jam.uid))
    await endJam(server, jam)
    await using cleanup = new AsyncDisposableStack()
    const child = await startProcess('worker')
    try {
      const database = openDatabase(server.databaseUrl)
      cleanup.defer(() => database.dispose())
      await database.db.transaction(async (tx) => {
        // In the second batch.
        await tx
          .select()
          .from(builds)
          .where(eq(builds.gameUid, entries[70]?.gameUid ?? ''))
          .for('update')
        await enqueue(server.deps.db, pinVersions, {})
        await waitFor('the second batch waits', async () => {
          const waiting = await server.deps.db.execute(
            sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
          )
          return waiting.length > 0 && (await countPins()) > 0
        })
        child.kill('SIGKILL')
        await child.exited
      })
    } finally {
      child.kill('SIGKILL')
    }
    const before = await countPins()
    expect(before).toBe(50)
    expect(await findPinnedAt(server, jam)).toBeNull()
    await pinNow(server)
    expect(await countPins()).toBe(ENTRIES)
    expect(await findPinnedAt(server, jam)).not.toBeNull()
    await pinNow(server)
    expect(await countPins()).toBe(ENTRIES)
  }, 120_000)
})
