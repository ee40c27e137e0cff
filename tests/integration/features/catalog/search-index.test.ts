import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { eq, sql } from 'drizzle-orm'

import { runReindex } from '../../../../src/commands/reindex.ts'
import { games } from '../../../../src/db/schema/games/games.ts'
import { searchChanges, searchDocuments } from '../../../../src/db/schema/search.ts'
import { indexChanges } from '../../../../src/features/catalog/search/indexing.ts'
import { notifyChange } from '../../../../src/features/games/service.ts'
import {
  type GameRow,
  insertCover,
  insertGame,
  insertPublicGame,
  verifyEmail,
} from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { indexNow, namesOf, searchFor } from '../../../helpers/search/search.ts'
import { startTestServer, type TestServer } from '../../../helpers/server.ts'
import { waitFor } from '../../../helpers/wait.ts'

/** The first does the jobs too; both answer. */
let first: TestServer
let second: TestServer
let owner: Person
beforeAll(async () => {
  first = await startTestServer({ TRUST_PROXY: '1', ROLE: 'all' })
  second = await startTestServer({ TRUST_PROXY: '1', DATABASE_URL: first.databaseUrl })
  owner = await signUp(first)
  await verifyEmail(first, owner)
})
afterAll(async () => {
  await second.stop()
  await first.stop()
})

const totalOf = async (server: TestServer, query: string) => (await searchFor(server, query)).total
const untilTotal = (query: string, total: number) =>
  waitFor(`${query} finding ${total}`, async () => {
    const totals = await Promise.all([totalOf(first, query), totalOf(second, query)])
    return totals.every((found) => found === total)
  })
/** Long enough that none is a typo of another. */
const uniqueName = () => `Wonder${crypto.randomUUID().replaceAll('-', '').slice(0, 16)}`

async function move(game: GameRow, visibility: string): Promise<void> {
  const answer = await owner.json('PUT', `/api/v1/private/games/${game.uid}/visibility`, { visibility })
  expect(answer.status).toBe(200)
}

async function edit(game: GameRow, patch: object): Promise<void> {
  const answer = await owner.json('PATCH', `/api/v1/private/games/${game.uid}`, patch)
  expect(answer.status).toBe(200)
}

describe('the index follows', () => {
  test('publishing, edits and unpublishing, in every process', async () => {
    const [name, renamed] = [uniqueName(), uniqueName()]
    const game = await insertGame(first, owner, { name })
    await insertCover(first, game.uid)
    await move(game, 'public')
    await untilTotal(`q=${name}`, 1)
    await edit(game, { name: renamed, genres: ['stealth'] })
    await untilTotal(`q=${renamed}&genres=stealth`, 1)
    await untilTotal(`q=${name}`, 0)
    await move(game, 'invisible')
    await untilTotal(`q=${renamed}`, 0)
    await move(game, 'public')
    await untilTotal(`q=${renamed}`, 1)
  })

  test('the deletion of what was public once', async () => {
    const game = await insertPublicGame(first, owner, { name: uniqueName() })
    await indexNow(first, game.uid)
    await untilTotal(`q=${game.name}`, 1)
    await move(game, 'draft')
    expect((await owner.fetch(`/api/v1/private/games/${game.uid}`, { method: 'DELETE' })).status).toBe(200)
    await untilTotal(`q=${game.name}`, 0)
  })

  test('a process that lost its listener', async () => {
    const game = await insertPublicGame(first, owner, { name: uniqueName() })
    await indexNow(first, game.uid)
    await untilTotal(`q=${game.name}`, 1)
    await first.deps.db.execute(sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'playshelf listen' and datname = current_database()`)
    await edit(game, { name: `${game.name} Reborn` })
    await untilTotal(`q=${game.name}+reborn`, 1)
  })
})

describe('the list of changes', () => {
  test('knows only of what was committed', async () => {
    const game = await insertPublicGame(second, owner, { name: uniqueName() })
    const undone = second.deps.db.transaction(async (tx) => {
      await notifyChange(tx, game.uid)
      throw new Error('undone')
    })
    expect(undone).rejects.toThrow('undone')
    await indexChanges(second.deps)
    expect(await totalOf(second, `q=${game.name}`)).toBe(0)
  })

  test('loses nothing that is changed while it is worked off', async () => {
    const list = await Promise.all(
      Array.from({ length: 20 }, () => insertPublicGame(second, owner, { name: uniqueName() })),
    )
    const renamed = list.map(({ uid }) => ({ uid, name: uniqueName() }))
    const rename = async ({ uid, name }: { uid: string; name: string }) =>
      await second.deps.db.transaction(async (tx) => {
        await tx.update(games).set({ name }).where(eq(games.uid, uid))
        await notifyChange(tx, uid)
      })
    await Promise.all([
      indexNow(second, ...list.map(({ uid }) => uid)),
      ...renamed.map(rename),
      indexChanges(second.deps),
      indexChanges(first.deps),
    ])
    await indexNow(second)
    for (const { name } of renamed) expect(await totalOf(second, `q=${name}`)).toBe(1)
    for (const { name } of list) expect(await totalOf(second, `q=${name}`)).toBe(0)
  })

  test('is empty when it is worked off, and nothing is written for what did not change', async () => {
    const game = await insertPublicGame(second, owner, { name: uniqueName() })
    await indexNow(second, game.uid)
    const read = () =>
      second.deps.db.select().from(searchDocuments).where(eq(searchDocuments.gameUid, game.uid))
    const before = await read()
    await indexNow(second, game.uid, game.uid)
    expect(await read()).toEqual(before)
    expect(await second.deps.db.$count(searchChanges)).toBe(0)
  })
})

describe('reindex', () => {
  test('finds what nobody told it, and drops what is not public', async () => {
    const [missing, hidden] = [uniqueName(), uniqueName()]
    const game = await insertPublicGame(second, owner, { name: hidden })
    await indexNow(second, game.uid)
    await second.deps.db.update(games).set({ visibility: 'draft' }).where(eq(games.uid, game.uid))
    await insertPublicGame(second, owner, { name: missing })
    expect(await runReindex(second.deps)).toStartWith('The search index in Postgres is up to date:')
    await indexNow(second)
    expect(namesOf(await searchFor(second, `q=${missing}`))).toEqual([missing])
    expect(await totalOf(second, `q=${hidden}`)).toBe(0)
  })
})
