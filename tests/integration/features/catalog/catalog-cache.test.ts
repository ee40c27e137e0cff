import { describe, expect, setSystemTime, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { gameDependencies } from '../../../../src/db/schema/games/game-relations.ts'
import { games } from '../../../../src/db/schema/games/games.ts'
import type { Visibility } from '../../../../src/domain/listings/visibility.ts'
import { createListingCache } from '../../../../src/features/catalog/pages/listing-cache.ts'
import { loadListing } from '../../../../src/features/catalog/pages/listing.ts'
import type { Listing } from '../../../../src/features/catalog/pages/model.ts'
import { ALL_GAMES } from '../../../../src/features/games/service.ts'
import { watchStatements } from '../../../helpers/catalog.ts'
import { readData } from '../../../helpers/json.ts'
import { type GameRow, insertGame, insertPublicGame } from '../../../helpers/listings.ts'
import type { TestServer } from '../../../helpers/server.ts'
import { usePerson, useStore, useTwin } from '../../../helpers/store.ts'
import { waitFor } from '../../../helpers/wait.ts'

const first = useStore({ TRUST_PROXY: '1' })
const second = useTwin(first)
const owner = usePerson(first)

const ask = (server: TestServer, ref: string) => server.fetch(`/api/v1/public/games/${ref}`)
const read = async (server: TestServer, ref: string): Promise<Listing> =>
  await readData(await ask(server, ref))
const countStatements = async (server: TestServer, ref: string) =>
  (await watchStatements(server, () => ask(server, ref))).length

async function move(game: GameRow, visibility: Visibility): Promise<void> {
  const answer = await owner.json('PUT', `/api/v1/private/games/${game.uid}/visibility`, { visibility })
  expect(answer.status).toBe(200)
}

describe('a kept page', () => {
  test('costs one small statement, also when many ask at once', async () => {
    const game = await insertPublicGame(first, owner)
    // What making the game announced may still arrive, and lets it be read anew.
    await waitFor('a kept page', async () => (await countStatements(second, game.vanityName)) === 1)
    const many = await watchStatements(second, () =>
      Promise.all(Array.from({ length: 50 }, () => ask(second, game.vanityName))),
    )
    expect(many.length).toBeLessThan(50)
  })

  test('is never shown after a move that hid it was answered, by no process', async () => {
    const everywhere = async (game: GameRow) => {
      const asked = [first, second].flatMap((server) =>
        [game.uid, game.vanityName].map((ref) => ask(server, ref)),
      )
      return (await Promise.all(asked)).map(({ status }) => status)
    }
    // As often as a listing may be written to in a minute, four times over.
    for (let listing = 0; listing < 4; listing += 1) {
      const game = await insertPublicGame(first, owner)
      for (let round = 0; round < 25; round += 1) {
        expect(await everywhere(game)).toEqual([200, 200, 200, 200])
        await move(game, round % 2 === 0 ? 'draft' : 'owner')
        expect(await everywhere(game)).toEqual([404, 404, 404, 404])
        await move(game, round % 3 === 0 ? 'invisible' : 'public')
      }
    }
  })

  test('shows an edit as soon as it was answered, in every process', async () => {
    const game = await insertPublicGame(first, owner)
    for (let round = 0; round < 30; round += 1) {
      const tagline = `Take ${round}`
      await owner.json('PATCH', `/api/v1/private/games/${game.uid}`, { tagline })
      expect((await read(second, game.uid)).tagline).toBe(tagline)
      expect((await read(first, game.uid)).tagline).toBe(tagline)
    }
  })

  test('forgets its old name: that one leads to the new', async () => {
    const game = await insertPublicGame(first, owner)
    expect((await ask(second, game.vanityName)).status).toBe(200)
    const vanity_name = `${game.vanityName}-two`
    await owner.json('PATCH', `/api/v1/private/games/${game.uid}`, { vanity_name })
    expect((await ask(second, game.vanityName)).status).toBe(301)
    expect((await read(second, vanity_name)).uid).toBe(game.uid)
  })

  test('forgets a neighbour that was hidden', async () => {
    const [game, pack] = [await insertPublicGame(first, owner), await insertPublicGame(first, owner)]
    await first.deps.db
      .insert(gameDependencies)
      .values({ gameUid: game.uid, kind: 'uses', targetUid: pack.uid, position: 0 })
    expect((await read(second, game.uid)).relations.uses).toHaveLength(1)
    await move(pack, 'draft')
    await waitFor(
      'Hiding the neighbour',
      async () => (await read(second, game.uid)).relations.uses.length === 0,
    )
  })

  test('is not kept when it is not there', async () => {
    const game = await insertGame(first, owner)
    const [before, after] = [await countStatements(second, game.uid), await countStatements(second, game.uid)]
    expect(after).toBe(before)
    await first.deps.db.update(games).set({ visibility: 'invisible' }).where(eq(games.uid, game.uid))
    expect((await ask(second, game.uid)).status).toBe(200)
  })
})

/** A cache of its own, whose loads are counted and whose announcements the test makes. */
async function createCountedCache() {
  const { deps } = first
  const game = await insertPublicGame(first, owner)
  let [announce, miss] = [(_uid: string): void => undefined, (): void => undefined]
  const database = {
    ...deps.database,
    listen: async (_channel: string, onChange: typeof announce, onGap: typeof miss) => {
      ;[announce, miss] = [onChange, onGap]
    },
  }
  const neighbour = crypto.randomUUID()
  const cache = await createListingCache(
    { database, reads: deps.reads },
    { bytesOf: () => 1, lifetimeMs: 60_000 },
  )
  let loads = 0
  const read = async (whileLoading?: () => void) => {
    await cache.read(game.uid, async () => {
      loads += 1
      const listing = await loadListing(deps, game.uid)
      whileLoading?.()
      return { listing, value: listing, shows: [neighbour] }
    })
    return loads
  }
  return { uid: game.uid, neighbour, read, announce: (uid: string) => announce(uid), miss: () => miss() }
}

describe('a page is read anew', () => {
  test('when it is announced, and only then', async () => {
    const { uid, neighbour, read, announce } = await createCountedCache()
    expect([await read(), await read()]).toEqual([1, 1])
    announce(crypto.randomUUID())
    expect(await read()).toBe(1)
    announce(uid)
    expect([await read(), await read()]).toEqual([2, 2])
    announce(ALL_GAMES)
    expect([await read(), await read()]).toEqual([3, 3])
    announce(neighbour)
    expect([await read(), await read()]).toEqual([4, 4])
  })

  test('when announcements may have been missed', async () => {
    const { read, miss } = await createCountedCache()
    await read()
    miss()
    expect([await read(), await read()]).toEqual([2, 2])
  })

  test('when a change was announced while it was being read', async () => {
    const { uid, read, announce } = await createCountedCache()
    expect(await read(() => announce(uid))).toBe(1)
    expect([await read(), await read()]).toEqual([2, 2])
  })

  test('after a minute, whatever happened', async () => {
    const { read } = await createCountedCache()
    await read()
    try {
      setSystemTime(Date.now() + 61_000)
      expect([await read(), await read()]).toEqual([2, 2])
    } finally {
      setSystemTime()
    }
  })
})
