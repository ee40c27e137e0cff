import { afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'

import { eq, sql } from 'drizzle-orm'

import { lockIndex } from '../../../../src/clients/search/postgres/write/index-queries.ts'
import { LOCKS } from '../../../../src/db/locks/locks.ts'
import { games } from '../../../../src/db/schema/games/games.ts'
import {
  searchChanges,
  searchDocuments,
  searchPostings,
  searchReindexes,
  searchWords,
} from '../../../../src/db/schema/search.ts'
import { indexChanges } from '../../../../src/features/catalog/search/indexing.ts'
import { continueReindex, reindex, requestReindex } from '../../../../src/features/catalog/search/reindex.ts'
import { indexListings } from '../../../../src/features/games/jobs.ts'
import { notifyChange } from '../../../../src/features/games/service.ts'
import { createRandom } from '../../../../src/lib/random.ts'
import { type GameRow, insertPublicGame } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { makeWords } from '../../../helpers/search/search-documents.ts'
import { dumpIndex } from '../../../helpers/search/search-dump.ts'
import { useStore } from '../../../helpers/store.ts'
import { waitFor } from '../../../helpers/wait.ts'

const CHILD = join(import.meta.dir, '../../../helpers/processes/reindex-child.ts')
const LISTINGS = 60
const random = createRandom('reindex')
const words = makeWords('reindex', 300)
const inventText = (count: number) => random.draw(words, count).join(' ')

const server = useStore()
let owner: Person
let list: GameRow[]
beforeAll(async () => {
  owner = await signUp(server)
  const added = await Promise.all(
    Array.from({ length: LISTINGS }, () =>
      insertPublicGame(server, owner, { tagline: inventText(5), description: inventText(40) }),
    ),
  )
  list = added.toSorted((left, right) => (left.uid < right.uid ? -1 : 1))
})
afterEach(async () => {
  await eraseIndex()
})

const db = () => server.deps.db

async function eraseIndex(): Promise<void> {
  for (const table of [searchDocuments, searchPostings, searchWords, searchChanges, searchReindexes]) {
    await db().delete(table)
  }
}

/** The index that an undisturbed run builds from nothing. */
async function buildAfresh() {
  await eraseIndex()
  expect(await reindex(server.deps)).toBe(await db().$count(games, eq(games.visibility, 'public')))
  return await dumpIndex(db())
}

async function change(uid: string, values: Partial<GameRow>): Promise<void> {
  await db().transaction(async (tx) => {
    await tx.update(games).set(values).where(eq(games.uid, uid))
    await notifyChange(tx, uid)
  })
}

test('one run does the jobs of all changes, unless it fails', async () => {
  const countJobs = async () => {
    const [row] = await db().execute<{ count: number }>(sql`
      select count(*)::integer as count from graphile_worker.jobs where task_identifier = ${indexListings.name}`)
    return row?.count
  }
  await indexChanges(server.deps)
  for (const { uid } of list.slice(0, 5)) await change(uid, { name: inventText(2) })
  expect(await countJobs()).toBe(5)
  await db().execute(sql`alter table search_documents rename to missing_documents`)
  const failure = await indexChanges(server.deps).catch((error: unknown) => error)
  await db().execute(sql`alter table missing_documents rename to search_documents`)
  expect(failure).toBeInstanceOf(Error)
  expect(await countJobs()).toBe(5)
  expect(await indexChanges(server.deps)).toBe(5)
  expect(await countJobs()).toBe(0)
})

test('a run that is killed in the middle is continued, and builds the same index', async () => {
  const [held, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  // The run waits for this row when it writes its fourth batch of ten.
  const holding = db().transaction(async (tx) => {
    const row = { id: 35, gameUid: list[35]?.uid ?? '', wordIds: [], version: 0 }
    await tx.insert(searchDocuments).values(row)
    held.resolve()
    await release.promise
    await tx.delete(searchDocuments).where(eq(searchDocuments.id, row.id))
  })
  await held.promise
  const child = Bun.spawn([process.execPath, CHILD, JSON.stringify(server.deps.config)], {
    stdout: 'ignore',
    stderr: 'inherit',
  })
  await waitFor('the run waits', async () => {
    const waiting = sql`
      select 1 from pg_stat_activity where datname = current_database() and wait_event = 'transactionid'`
    return (await db().execute(waiting)).length > 0
  })
  child.kill('SIGKILL')
  await child.exited
  const [killed] = await db().select().from(searchReindexes)
  expect(killed?.done).toBe(30)
  release.resolve()
  await holding
  // The run has passed it, and no server indexes it.
  await change(list[0]?.uid ?? '', { name: inventText(2) })

  const seen: number[] = []
  await reindex(server.deps, { batchSize: 10, onProgress: ({ done }) => seen.push(done) })
  expect(seen.at(0)).toBe(killed?.done ?? 0)
  expect(seen.at(-1)).toBe(LISTINGS)
  const continued = await dumpIndex(db())
  expect(continued).toEqual(await buildAfresh())
})

test('an interrupted run is not continued once it is old', async () => {
  const stop = new AbortController()
  const interrupted = reindex(server.deps, {
    batchSize: 10,
    signal: stop.signal,
    onProgress: ({ done }) => done >= 20 && stop.abort(new Error('stopped')),
  })
  expect(interrupted).rejects.toThrow('stopped')
  await interrupted.catch(() => undefined)
  await db()
    .update(searchReindexes)
    .set({ movedAt: new Date(Date.now() - 2 * 3_600_000) })
  const seen: number[] = []
  await reindex(server.deps, { batchSize: 10, onProgress: ({ done }) => seen.push(done) })
  expect(seen.at(0)).toBe(0)
})

test('loses nothing that changes while it runs', async () => {
  await reindex(server.deps)
  // Nobody is notified of these: only the reindex can find them.
  for (const { uid } of list) {
    await db()
      .update(games)
      .set({ tagline: inventText(5) })
      .where(eq(games.uid, uid))
  }
  const changing = async () => {
    for (let count = 0; count < 80; count += 1) {
      const { uid } = random.pick(list)
      const visibility = random.chance(0.3) ? 'draft' : 'public'
      await change(uid, { name: inventText(2), visibility })
      await indexChanges(server.deps)
    }
  }
  await Promise.all([changing(), reindex(server.deps, { batchSize: 3 }), indexChanges(server.deps)])
  const [disturbed, afresh] = [await dumpIndex(db()), await buildAfresh()]
  expect(disturbed).toEqual(afresh)
  await db().update(games).set({ visibility: 'public' })
})

describe('a listing that is hidden after it was read', () => {
  /** Hides it while the index is locked: what runs has read it, and has not written. */
  async function hideBetween(runs: (() => Promise<unknown>)[]): Promise<void> {
    await db().transaction((tx) => requestReindex(tx))
    const [held, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const holding = db().transaction(async (tx) => {
      await lockIndex(tx)
      held.resolve()
      await release.promise
    })
    await held.promise
    const running: Promise<unknown>[] = [holding]
    for (const run of runs) {
      running.push(run())
      await untilWaiting(running.length - 1)
    }
    await change(hidden(), { visibility: 'draft' })
    release.resolve()
    await Promise.all(running)
  }
  const hidden = () => list[0]?.uid ?? ''
  const documents = async () => Object.keys((await dumpIndex(db())).documents)
  afterEach(() => change(hidden(), { visibility: 'public' }))

  test('is not brought back when its change was indexed first', async () => {
    await hideBetween([() => indexChanges(server.deps), () => continueReindex(server.deps)])
    expect(await documents()).not.toContain(hidden())
  })

  test('is removed when its change is not indexed yet', async () => {
    await reindex(server.deps)
    await db().update(games).set({ tagline: 'changed' }).where(eq(games.uid, hidden()))
    await hideBetween([() => continueReindex(server.deps)])
    expect(await documents()).not.toContain(hidden())
  })
})

test('goes back for listings that are added behind it', async () => {
  await reindex(server.deps)
  await db().transaction((tx) => requestReindex(tx, list[40]?.uid))
  let requested: Promise<void> | undefined
  const onProgress = () => {
    requested ??= db().transaction((tx) => requestReindex(tx, list[5]?.uid))
  }
  for (const { uid } of [list[10], list[50]].flatMap((game) => game ?? [])) {
    await db().update(games).set({ name: 'Unheard Renaming' }).where(eq(games.uid, uid))
  }
  await continueReindex(server.deps, { batchSize: 5, onProgress })
  await requested
  await continueReindex(server.deps)
  const { documents } = await dumpIndex(db())
  const renamed = Object.entries(documents).flatMap(([uid, { name }]) =>
    name === 'unheard renaming' ? [uid] : [],
  )
  expect(renamed.toSorted()).toEqual([list[10]?.uid ?? '', list[50]?.uid ?? ''].toSorted())
  expect(await db().$count(searchReindexes)).toBe(0)
})

/** Until so many transactions wait for the lock of the index. */
async function untilWaiting(count: number): Promise<void> {
  await waitFor(`${count} waiting for the index`, async () => {
    const [row] = await db().execute<{ count: number }>(sql`
      select count(*)::integer as count from pg_locks
      where locktype = 'advisory' and objid = ${LOCKS.searchIndex} and not granted
        and database = (select oid from pg_database where datname = current_database())`)
    return row?.count === count
  })
}
