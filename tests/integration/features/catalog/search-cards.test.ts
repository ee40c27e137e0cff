import { afterAll, beforeAll, describe, expect, setSystemTime, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { users } from '../../../../src/db/schema/accounts.ts'
import { games } from '../../../../src/db/schema/games/games.ts'
import type { Card } from '../../../../src/features/catalog/pages/model.ts'
import { createCardCache } from '../../../../src/features/catalog/search/card-cache.ts'
import { watchStatements } from '../../../helpers/catalog.ts'
import { type GameRow, insertPublicGame } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { indexNow, searchFor } from '../../../helpers/search/search.ts'
import { startTestServer, type TestServer } from '../../../helpers/server.ts'
import { waitFor } from '../../../helpers/wait.ts'

let first: TestServer
let second: TestServer
let owner: Person
beforeAll(async () => {
  first = await startTestServer({ TRUST_PROXY: '1' })
  second = await startTestServer({ TRUST_PROXY: '1', DATABASE_URL: first.databaseUrl })
  owner = await signUp(first)
})
afterAll(async () => {
  await second.stop()
  await first.stop()
})

async function publish(values: Parameters<typeof insertPublicGame>[2] = {}): Promise<GameRow> {
  const game = await insertPublicGame(first, owner, {
    name: `Card${crypto.randomUUID().slice(0, 8)}`,
    ...values,
  })
  await indexNow(first, game.uid)
  return game
}

async function cardOf(server: TestServer, game: GameRow): Promise<Card | undefined> {
  return (await searchFor(server, `q=${game.name}`)).items[0]
}

/** On both servers, so that both keep the card. */
async function untilShown(game: GameRow, what: string, shows: (card: Card) => boolean): Promise<void> {
  await waitFor(what, async () => {
    const cards = await Promise.all([cardOf(first, game), cardOf(second, game)])
    return cards.every((card) => card && shows(card))
  })
}

describe('the cards of a search', () => {
  test('are kept: the same search again asks only whether they are still right', async () => {
    const game = await publish()
    await untilShown(game, 'the card', () => true)
    await cardOf(first, game)
    const statements = await watchStatements(first, () => cardOf(first, game))
    expect(statements.filter(({ text }) => /from "?games"?\b/.test(text))).toHaveLength(1)
  })

  test('show an edit at once, in every process', async () => {
    const game = await publish()
    await untilShown(game, 'the card', ({ tagline }) => tagline === game.tagline)
    for (const tagline of ['Once', 'Twice', 'Thrice']) {
      const answer = await owner.json('PATCH', `/api/v1/private/games/${game.uid}`, { tagline })
      expect(answer.status).toBe(200)
      const cards = await Promise.all([cardOf(first, game), cardOf(second, game)])
      expect(cards.map((card) => card?.tagline)).toEqual([tagline, tagline])
    }
  })

  test('are gone at once when the listing is hidden, even if nobody was told', async () => {
    const game = await publish()
    await untilShown(game, 'the card', () => true)
    await first.deps.db.update(games).set({ visibility: 'owner' }).where(eq(games.uid, game.uid))
    expect(await Promise.all([cardOf(first, game), cardOf(second, game)])).toEqual([undefined, undefined])
  })

  test('follow what they show of others', async () => {
    const parent = await publish()
    const child = await publish({ assetType: 'mod', parentUid: parent.uid })
    await untilShown(parent, 'the mod', ({ has_mods }) => has_mods)
    const name = 'Renamed Parent'
    const answer = await owner.json('PATCH', `/api/v1/private/games/${parent.uid}`, { name })
    expect(answer.status).toBe(200)
    await untilShown(
      child,
      'the new name',
      (card) => card.parent !== null && 'name' in card.parent && card.parent.name === name,
    )
  })

  test('show a developer’s new name', async () => {
    const game = await publish()
    await untilShown(game, 'the card', () => true)
    const username = `renamed-${crypto.randomUUID().slice(0, 8)}`
    expect((await owner.json('PATCH', '/api/v1/private/me', { username })).status).toBe(200)
    await untilShown(game, 'the new name', ({ developer }) => developer.username === username)
  })

  test('are read again in the background after a minute, and stay the same objects if nothing changed', async () => {
    const loadCards = await createCardCache(first.deps)
    const [changing, staying] = await Promise.all(
      [owner, await signUp(first)].map((of) => insertPublicGame(first, of)),
    )
    const read = () => loadCards([changing?.uid ?? '', staying?.uid ?? ''])
    const before = await read()
    // Nobody is told of this.
    const username = `quietly-${crypto.randomUUID().slice(0, 8)}`
    await first.deps.db.update(users).set({ username }).where(eq(users.id, owner.uid))
    try {
      setSystemTime(Date.now() + 61_000)
      expect((await read())[0] === before[0]).toBe(true)
      await waitFor('the new name', async () => (await read())[0]?.developer.username === username)
      expect((await read())[1] === before[1]).toBe(true)
      const statements = await watchStatements(first, () => read())
      expect(statements.filter(({ text }) => /from "?games"?\b/.test(text))).toHaveLength(1)
    } finally {
      setSystemTime()
    }
  })
})
