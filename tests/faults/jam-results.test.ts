import { expect, test } from 'bun:test'
import { join } from 'node:path'

import { sql } from 'drizzle-orm'

import { createRandom } from '../../src/lib/random.ts'
import {
  compute,
  enter,
  insertJam,
  insertVoters,
  insertVotes,
  listStored,
  listVotes,
  moveVotingEnd,
  readJam,
} from '../helpers/jams/voting.ts'
import { signUp } from '../helpers/people.ts'
import { useStore } from '../helpers/store.ts'
import { waitFor } from '../helpers/wait.ts'

const server = useStore()
const CHILD = join(import.meta.dir, '../helpers/processes/jam-results-child.ts')

/** Every result of a jam takes a second to store while this is on. */
async function slowDown(isOn: boolean): Promise<void> {
  const { db } = server.deps
  await db.execute(sql`drop trigger if exists slow_results on jam_results`)
  if (!isOn) return
  await db.execute(sql`create or replace function slow_results() returns trigger language plpgsql
    as 'begin perform pg_sleep(1); return new; end'`)
  await db.execute(
    sql`create trigger slow_results before insert on jam_results for each row execute function slow_results()`,
  )
}

const isStoring = async () =>
  (
    await server.deps.db.execute(
      sql`select 1 from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`,
    )
  ).length > 0

test('a process that is killed while it computes results leaves nothing, and the next one finishes', async () => {
  const random = createRandom('killed')
  const jam = await insertJam(server, { minRatings: 3 })
  const owner = await signUp(server)
  const entryUids: string[] = []
  for (let index = 0; index < 5; index += 1) {
    const [uid = ''] = await insertVoters(server, 1)
    entryUids.push((await enter(server, jam, { ...owner, uid }, { systems: [] })).entry.uid)
  }
  const voters = await insertVoters(server, 20)
  const votes = voters.flatMap((userUid) =>
    random.draw(entryUids, 4).map((entryUid) => ({
      userUid,
      entryUid,
      networkHash: 'home',
      accountDays: 100,
      scores: [1 + random.below(5), 1 + random.below(5)],
    })),
  )
  await insertVotes(server, jam, votes)
  await moveVotingEnd(server, jam)

  await slowDown(true)
  const child = Bun.spawn(['bun', CHILD, JSON.stringify(server.deps.config)], { stderr: 'inherit' })
  await waitFor('the results are being stored', isStoring)
  child.kill('SIGKILL')
  await child.exited
  expect(await readJam(server, jam)).toMatchObject({ computedAt: null, publishedAt: null, median: null })
  expect(await listStored(server, jam)).toEqual([])
  expect((await listVotes(server, jam)).every(({ networkHash }) => networkHash === 'home')).toBe(true)

  // The database notices the dead client at the end of its statement.
  await waitFor('the statement ended', async () => !(await isStoring()))
  await slowDown(false)
  await compute(server)
  const done = await readJam(server, jam)
  expect(done.computedAt).not.toBeNull()
  expect(done.publishedAt).not.toBeNull()
  const stored = await listStored(server, jam)
  expect(stored).toHaveLength(5)
  expect(stored.reduce((sum, { ratings }) => sum + ratings, 0)).toBe(80)
  expect((await listVotes(server, jam)).every(({ networkHash }) => networkHash === null)).toBe(true)

  await compute(server)
  expect((await readJam(server, jam)).computedAt).toEqual(done.computedAt)
  expect(await listStored(server, jam)).toEqual(stored)
}, 120_000)
