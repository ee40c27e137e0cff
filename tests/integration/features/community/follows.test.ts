import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { users } from '../../../../src/db/schema/accounts.ts'
import { developerFollows, gameFollows } from '../../../../src/db/schema/follows.ts'
import { changelogEntries } from '../../../../src/db/schema/games/game-pages.ts'
import { games } from '../../../../src/db/schema/games/games.ts'
import { FOLLOWS_MAX } from '../../../../src/domain/follows.ts'
import { forgetAccount } from '../../../../src/features/accounts/account-cache.ts'
import type {
  FollowedDeveloper,
  FollowedGame,
  Follows,
} from '../../../../src/features/catalog/followed/model.ts'
import type { SearchAnswer } from '../../../../src/features/catalog/search/model.ts'
import { notifyChange } from '../../../../src/features/games/service.ts'
import { createUid } from '../../../../src/lib/ids.ts'
import { watchStatements } from '../../../helpers/catalog.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { type GameRow, insertGame, insertPublicGame } from '../../../helpers/listings.ts'
import { type Person, signUp, usernameOf } from '../../../helpers/people.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'
import { waitFor } from '../../../helpers/wait.ts'

const server = useStore({ TRUST_PROXY: '1', ROLE: 'all' })
const owner = usePerson(server)
let game: GameRow
beforeAll(async () => {
  game = await insertPublicGame(server, owner, { priceCents: 1999 })
})

const BASE = '/api/v1/private/follows'
const follow = (person: Person, ref: string, body: unknown = {}) =>
  person.json('PUT', `${BASE}/games/${ref}`, body)
const unfollow = (person: Person, ref: string) => person.json('DELETE', `${BASE}/games/${ref}`)
const listOf = async (person: Person, query = ''): Promise<Follows> =>
  await readData<Follows>(await person.fetch(`${BASE}${query}`))
const gamesOf = async (person: Person, query = '') => (await listOf(person, query)).items as FollowedGame[]
const wishesOf = async (person: Person) =>
  (await gamesOf(person, '?wish=true')).map(({ game: { uid }, position }) => [uid, position])

async function createKey(person: Person, ...scopes: string[]) {
  const body = { label: 'for tests', scopes }
  const answer = await person.json('POST', '/api/v1/private/player-keys', body)
  return { authorization: `Bearer ${(await readData<{ key: string }>(answer)).key}` }
}

describe('following a listing', () => {
  test('hears of everything by default; PUT replaces all choices', async () => {
    const player = await signUp(server)
    const made = await follow(player, game.uid)
    expect(made.status).toBe(200)
    const first = await readData<FollowedGame>(made)
    expect(first).toEqual({
      game: expect.objectContaining({ uid: game.uid }),
      newest_release: null,
      releases: true,
      posts: true,
      platforms: [],
      wish: false,
      position: null,
      price_cents: 1999,
      wished_price_cents: null,
      since: first.since,
    })
    const narrowed = { posts: false, platforms: ['android', 'linux'] }
    expect(await readData<FollowedGame>(await follow(player, game.vanityName, narrowed))).toEqual({
      ...first,
      posts: false,
      platforms: ['linux', 'android'],
    })
    expect(await readData<FollowedGame>(await follow(player, game.uid, { releases: false }))).toEqual({
      ...first,
      releases: false,
    })
    const again = await follow(player, game.uid, await readData<FollowedGame>(await follow(player, game.uid)))
    expect(await readData<FollowedGame>(again)).toEqual(first)
  })

  test('faults name their field, and change nothing', async () => {
    const player = await signUp(server)
    for (const [field, body] of [
      ['releases', { releases: 'yes' }],
      ['posts', { posts: null }],
      ['platforms[0]', { platforms: ['amiga'] }],
      ['platforms', { platforms: ['linux', 'linux'] }],
      ['platforms', { platforms: 'linux' }],
      ['position', { position: 1 }],
      ['position', { wish: true, position: 0 }],
      ['position', { wish: true, position: 2001 }],
      ['position', { wish: true, position: 1.5 }],
      ['colour', { colour: 'blue' }],
      ['since', { since: '2020-01-01T00:00:00.000Z' }],
    ] as const) {
      const failure = await readFailure(await follow(player, game.uid, body))
      expect({ field, ...failure }).toMatchObject({ status: 400, code: 4000 })
      expect(failure.message).toContain(field)
    }
    expect((await listOf(player)).total).toBe(0)
  })

  test('needs a page that anyone with the address can open', async () => {
    const player = await signUp(server)
    const invisible = await insertGame(server, owner, { visibility: 'invisible' })
    expect((await follow(player, invisible.vanityName)).status).toBe(200)
    const taken = { at: new Date().toISOString(), reason: 'Bad.', visibility: 'public' } as const
    for (const values of [
      { visibility: 'draft' },
      { visibility: 'owner' },
      { visibility: 'owner', takenDown: taken },
    ] as const) {
      const hidden = await insertGame(server, owner, values)
      for (const person of [player, owner])
        for (const ref of [hidden.uid, hidden.vanityName])
          expect(await readFailure(await follow(person, ref))).toMatchObject({ status: 404, code: 4040 })
    }
    for (const ref of [createUid(), 'no-such-game', '%00', '..%2f', 'x'.repeat(5000), '💣'])
      expect([400, 404]).toContain((await follow(player, ref)).status)
    expect((await gamesOf(player)).map(({ game: { uid } }) => uid)).toEqual([invisible.uid])
  })

  test('of an adult one needs the opt-in; switched off later, it leaves the list at once', async () => {
    const player = await signUp(server)
    const adult = await insertPublicGame(server, owner, { adult: true })
    expect(await readFailure(await follow(player, adult.uid))).toMatchObject({ status: 403, code: 4030 })
    await player.json('PATCH', '/api/v1/private/me', { adult_content: true })
    expect((await follow(player, adult.uid)).status).toBe(200)
    expect((await listOf(player)).total).toBe(1)
    await player.json('PATCH', '/api/v1/private/me', { adult_content: false })
    expect(await listOf(player)).toMatchObject({ total: 0, items: [] })
    expect((await unfollow(player, adult.uid)).status).toBe(200)
  })

  test('ends once, also when the page was hidden since', async () => {
    const player = await signUp(server)
    const hidden = await insertPublicGame(server, owner)
    await follow(player, hidden.uid)
    await server.deps.db.update(games).set({ visibility: 'draft' }).where(eq(games.uid, hidden.uid))
    expect(await listOf(player)).toMatchObject({ total: 0, items: [] })
    expect((await unfollow(player, hidden.uid)).status).toBe(200)
    expect(await readFailure(await unfollow(player, hidden.uid))).toMatchObject({ status: 404, code: 4040 })
  })

  test('is seen by nobody else', async () => {
    const [one, two] = await Promise.all([signUp(server), signUp(server)])
    await follow(one, game.uid, { wish: true })
    await one.json('PUT', `${BASE}/developers/${owner.uid}`, {})
    for (const kind of ['games', 'developers'])
      expect(await listOf(two, `?kind=${kind}`)).toMatchObject({ total: 0, items: [] })
    expect(await readFailure(await unfollow(two, game.uid))).toMatchObject({ status: 404 })
    expect((await listOf(one)).total).toBe(1)
  })

  test('when the account or the listing ends, the follow does', async () => {
    const player = await signUp(server)
    const short = await insertPublicGame(server, owner)
    await follow(player, short.uid)
    await server.deps.db.delete(games).where(eq(games.uid, short.uid))
    expect((await listOf(player)).total).toBe(0)
    await follow(player, game.uid)
    await server.deps.db.delete(users).where(eq(users.id, player.uid))
    const left = await server.deps.db.select().from(gameFollows).where(eq(gameFollows.userUid, player.uid))
    expect(left).toEqual([])
  })

  test('20 changes at once leave one of them', async () => {
    const player = await signUp(server)
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        follow(player, game.uid, { wish: at % 2 === 0, releases: at % 3 === 0 }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200))
    const [known, ...others] = await gamesOf(player)
    expect(others).toEqual([])
    expect(known?.position).toBe(known?.wish ? 1 : null)
  })
})

describe('player keys', () => {
  test('read with player:read, change with player:library', async () => {
    const player = await signUp(server)
    const [reads, writes] = [
      await createKey(player, 'player:read'),
      await createKey(player, 'player:library'),
    ]
    const put = (headers: Record<string, string>) =>
      server.fetch(`${BASE}/games/${game.uid}`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json', ...headers },
        body: '{"wish": true}',
      })
    expect(await readFailure(await put(reads))).toMatchObject({ status: 403, code: 4031 })
    expect((await put(writes)).status).toBe(200)
    const list = await server.fetch(BASE, { headers: reads })
    expect(await readData<Follows>(list)).toMatchObject({ total: 1, items: [{ wish: true }] })
    expect(await readFailure(await server.fetch(BASE, { headers: writes }))).toMatchObject({ code: 4031 })
    const gone = await server.fetch(`${BASE}/games/${game.uid}`, { method: 'DELETE', headers: writes })
    expect(gone.status).toBe(200)
  })
})

describe('the wishlist', () => {
  let player: Person
  let wished: GameRow[]
  beforeAll(async () => {
    player = await signUp(server)
    wished = []
    for (let at = 0; at < 4; at += 1) {
      const one = await insertPublicGame(server, owner, { priceCents: 1000 + at })
      wished.push(one)
      await follow(player, one.uid, { wish: true })
    }
  })
  const uid = (at: number) => wished[at]?.uid ?? ''

  test('is ordered as it was filled, and by position from then on', async () => {
    expect(await wishesOf(player)).toEqual([
      [uid(0), 1],
      [uid(1), 2],
      [uid(2), 3],
      [uid(3), 4],
    ])
    await follow(player, uid(3), { wish: true, position: 1 })
    await follow(player, uid(0), { wish: true, position: 2000 })
    expect(await wishesOf(player)).toEqual([
      [uid(3), 1],
      [uid(1), 2],
      [uid(2), 3],
      [uid(0), 4],
    ])
    await follow(player, uid(1), { wish: true })
    expect((await wishesOf(player))[1]).toEqual([uid(1), 2])
  })

  test('closes gaps when something leaves it', async () => {
    await follow(player, uid(1), {})
    await unfollow(player, uid(3))
    expect(await wishesOf(player)).toEqual([
      [uid(2), 1],
      [uid(0), 2],
    ])
    expect(await gamesOf(player)).toHaveLength(3)
  })

  test('remembers the price at which it was wished', async () => {
    await server.deps.db
      .update(games)
      .set({ priceCents: 499 })
      .where(eq(games.uid, uid(2)))
    expect(await gamesOf(player, '?wish=true')).toMatchObject([
      { price_cents: 499, wished_price_cents: 1002 },
      { price_cents: 1000, wished_price_cents: 1000 },
    ])
    await follow(player, uid(2), { wish: true, posts: false })
    expect((await gamesOf(player, '?wish=true'))[0]).toMatchObject({ wished_price_cents: 1002 })
    await follow(player, uid(2), { wish: false })
    expect(await readData<FollowedGame>(await follow(player, uid(2), { wish: true }))).toMatchObject({
      wished_price_cents: 499,
    })
  })

  test('keeps its order when all move at the same time', async () => {
    const busy = await signUp(server)
    for (const { uid: one } of wished) await follow(busy, one, { wish: true })
    const moves = wished.flatMap(({ uid: one }) =>
      [1, 2, 3].map((position) => follow(busy, one, { wish: true, position })),
    )
    for (const { status } of await Promise.all(moves)) expect(status).toBe(200)
    const order = await wishesOf(busy)
    expect(order.map(([, position]) => position)).toEqual([1, 2, 3, 4])
    expect(new Set(order.map(([one]) => one)).size).toBe(4)
  })
})

describe('the list', () => {
  test('shows card, newest release and choices, newest follow first, in as many statements for one as for ten', async () => {
    const player = await signUp(server)
    const followed: GameRow[] = []
    for (let at = 0; at < 10; at += 1) {
      const one = await insertPublicGame(server, owner, { name: `Followed ${at}` })
      followed.push(one)
      await follow(player, one.uid)
    }
    const [first] = followed
    await server.deps.db.insert(changelogEntries).values([
      { gameUid: first?.uid ?? '', title: 'Old', body: '', version: '1.0' },
      { gameUid: first?.uid ?? '', title: 'New', body: '', version: '1.1' },
    ])
    const list = await listOf(player)
    expect(list).toMatchObject({ kind: 'games', total: 10, limit: 20, offset: 0 })
    expect((list.items as FollowedGame[]).map(({ game: { name } }) => name)).toEqual(
      followed.map(({ name }) => name).toReversed(),
    )
    expect(list.items.at(-1)).toMatchObject({
      game: { uid: first?.uid, developer: { uid: owner.uid } },
      newest_release: { title: 'New', version: '1.1' },
    })
    expect(list.items[0]).toMatchObject({ newest_release: null })
    const page = await listOf(player, '?limit=3&offset=8')
    expect(page).toMatchObject({ total: 10, limit: 3, offset: 8 })
    expect(page.items).toHaveLength(2)
    const count = async (limit: number) =>
      (await watchStatements(server, async () => void (await listOf(player, `?limit=${limit}`)))).length
    await count(1)
    expect(await count(10)).toBe(await count(1))
  })

  test('takes any query', async () => {
    const player = await signUp(server)
    await follow(player, game.uid)
    for (const query of [
      '?limit=0',
      '?limit=-5&offset=-1',
      '?limit=1e9',
      '?offset=99999999999999999999',
      '?kind=x',
      '?wish=yes',
      '?limit=%00',
      '?limit=1&limit=2',
    ]) {
      const answer = await player.fetch(`${BASE}${query}`)
      expect([query, answer.status < 500]).toEqual([query, true])
    }
    expect(await listOf(player, '?limit=1000')).toMatchObject({ limit: 50 })
  })
})

describe('following a developer', () => {
  test('hears of new games and posts by default, named by uid or username', async () => {
    const player = await signUp(server)
    const username = await usernameOf(owner)
    const put = (ref: string, body: unknown) => player.json('PUT', `${BASE}/developers/${ref}`, body)
    const first = await readData<FollowedDeveloper>(await put(owner.uid, {}))
    expect(first).toMatchObject({ developer: { uid: owner.uid, username }, new_games: true, posts: true })
    expect(await readData<FollowedDeveloper>(await put(username, { posts: false }))).toEqual({
      ...first,
      posts: false,
    })
    const newest = await insertPublicGame(server, owner, { name: 'The newest one' })
    expect(await listOf(player, '?kind=developers')).toMatchObject({
      kind: 'developers',
      total: 1,
      items: [{ developer: { uid: owner.uid }, newest_game: { uid: newest.uid }, posts: false }],
    })
    expect((await player.json('DELETE', `${BASE}/developers/${username}`)).status).toBe(200)
    expect(await readFailure(await player.json('DELETE', `${BASE}/developers/${owner.uid}`))).toMatchObject({
      status: 404,
    })
  })

  test('needs somebody with a public listing', async () => {
    const [player, nobody] = await Promise.all([signUp(server), signUp(server)])
    await insertGame(server, nobody, { visibility: 'draft' })
    for (const ref of [nobody.uid, await usernameOf(nobody), createUid(), 'no-such-person', '%00'])
      expect([400, 404]).toContain((await player.json('PUT', `${BASE}/developers/${ref}`, {})).status)
    expect(
      await readFailure(await player.json('PUT', `${BASE}/developers/${owner.uid}`, { x: 1 })),
    ).toMatchObject({ status: 400 })
  })
})

describe('the most', () => {
  test(`the ${FOLLOWS_MAX + 1}st follow is refused with 4090, also at the same time`, async () => {
    const player = await signUp(server)
    const { db } = server.deps
    const filled = Array.from({ length: FOLLOWS_MAX - 2 }, (_, at) => ({
      ownerUid: owner.uid,
      assetType: 'game' as const,
      name: `Many ${at}`,
      vanityName: `many-${at}-${crypto.randomUUID().slice(0, 8)}`,
      tagline: 'One of many.',
      visibility: 'public' as const,
    }))
    const rows = await db.insert(games).values(filled).returning({ gameUid: games.uid })
    await db.insert(gameFollows).values(rows.map((row) => ({ ...row, userUid: player.uid })))
    await db.insert(developerFollows).values({ userUid: player.uid, developerUid: owner.uid })
    const others = await Promise.all([1, 2, 3].map(() => insertPublicGame(server, owner)))
    const answers = await Promise.all(others.map(({ uid }) => follow(player, uid)))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409])
    expect(await readFailure(await follow(player, game.uid))).toMatchObject({
      status: 409,
      code: 4090,
      message: expect.stringContaining('2,000'),
    })
    const publisher = await signUp(server)
    await insertPublicGame(server, publisher)
    expect(
      await readFailure(await player.json('PUT', `${BASE}/developers/${publisher.uid}`, {})),
    ).toMatchObject({ status: 409, code: 4090 })
    // What is followed already can be changed and left.
    expect((await follow(player, rows[0]?.gameUid ?? '', { wish: true })).status).toBe(200)
    expect((await player.json('POST', `/api/v1/private/games/${others[0]?.uid}/claim`)).status).toBeLessThan(
      300,
    )
    await unfollow(player, rows[0]?.gameUid ?? '')
    expect((await follow(player, game.uid)).status).toBe(200)
  })
})

describe('searching', () => {
  interface Found extends Omit<SearchAnswer, 'items'> {
    items: { uid: string; followed?: boolean; wished?: boolean }[]
  }
  const searchAs = async (headers: Record<string, string>, query: string) =>
    await readData<Found>(await server.fetch(`/api/v1/public/search?${query}`, { headers }))

  test('followed=true and wished=true find what the player of the key follows and wishes', async () => {
    const player = await signUp(server)
    const key = await createKey(player, 'player:read')
    const [one, two] = await Promise.all([
      insertPublicGame(server, owner, { name: 'Searchable Alpha' }),
      insertPublicGame(server, owner, { name: 'Searchable Beta' }),
    ])
    await server.deps.db.transaction(async (tx) => {
      for (const { uid } of [one, two]) await notifyChange(tx, uid)
    })
    await waitFor('both listings are found', async () => (await searchAs({}, 'q=searchable')).total === 2)
    expect((await searchAs(key, 'followed=true')).total).toBe(0)
    await follow(player, one.uid)
    await follow(player, two.uid, { releases: false, posts: false, wish: true })
    const uidsOf = ({ items }: Found) => items.map(({ uid }) => uid)
    expect(uidsOf(await searchAs(key, 'followed=true'))).toEqual([one.uid])
    expect(uidsOf(await searchAs(key, 'wished=true'))).toEqual([two.uid])
    expect((await searchAs(key, 'followed=true&wished=true')).total).toBe(0)
    expect((await searchAs(key, 'followed=true&q=beta')).total).toBe(0)
    expect((await searchAs(key, 'q=searchable&sort=name')).items).toMatchObject([
      { followed: true, wished: false },
      { followed: false, wished: true },
    ])
    await unfollow(player, one.uid)
    expect((await searchAs(key, 'followed=true')).total).toBe(0)
  })

  test('for guests nothing is followed, and their searches read no follows', async () => {
    const guest = await searchAs({}, 'followed=true')
    expect(guest).toMatchObject({ total: 0, items: [] })
    const statements = await watchStatements(server, async () => {
      const { items } = await searchAs({}, 'q=lighthouse')
      for (const item of items) expect(item).not.toHaveProperty('followed')
    })
    expect(statements.filter(({ text }) => text.includes('follows'))).toEqual([])
  })
})

describe('follow_library', () => {
  const claim = (person: Person, ref: string) => person.json('POST', `/api/v1/private/games/${ref}/claim`)

  test('claiming follows the releases, once', async () => {
    const player = await signUp(server)
    const free = await insertPublicGame(server, owner)
    expect((await claim(player, free.uid)).status).toBe(201)
    expect(await gamesOf(player)).toMatchObject([{ releases: true, posts: false, wish: false }])
    await unfollow(player, free.uid)
    expect((await claim(player, free.uid)).status).toBe(200)
    expect((await listOf(player)).total).toBe(0)
    expect(await readData(await player.fetch('/api/v1/private/library'))).toMatchObject({ total: 1 })
  })

  test('keeps what was followed before, and takes it off the wishlist', async () => {
    const player = await signUp(server)
    const [followed, wished] = [await insertPublicGame(server, owner), await insertPublicGame(server, owner)]
    await follow(player, followed.uid, { releases: false, posts: true, platforms: ['web'], wish: true })
    await follow(player, wished.uid, { releases: false, posts: false, wish: true })
    await claim(player, followed.uid)
    await claim(player, wished.uid)
    expect(await wishesOf(player)).toEqual([])
    expect(await gamesOf(player)).toMatchObject([
      { game: { uid: wished.uid }, releases: true, posts: false },
      { game: { uid: followed.uid }, releases: false, posts: true, platforms: ['web'] },
    ])
  })

  test('is left alone by accounts that say otherwise', async () => {
    const player = await signUp(server)
    expect(await readData(await player.fetch('/api/v1/private/me'))).toMatchObject({ follow_library: true })
    const patched = await player.json('PATCH', '/api/v1/private/me', { follow_library: false })
    expect(await readData(patched)).toMatchObject({ follow_library: false })
    const [free, wished] = [await insertPublicGame(server, owner), await insertPublicGame(server, owner)]
    await follow(player, wished.uid, { releases: false, posts: false, wish: true })
    await claim(player, free.uid)
    await claim(player, wished.uid)
    expect(await listOf(player)).toMatchObject({ total: 0 })
  })

  test('a gift follows when it is accepted', async () => {
    const player = await signUp(server)
    const gift = await insertPublicGame(server, owner, { priceCents: 500 })
    const username = await usernameOf(player)
    const given = await owner.json('POST', `/api/v1/private/games/${gift.uid}/licenses`, { username })
    expect(given.status).toBe(201)
    expect((await listOf(player)).total).toBe(0)
    await player.json('POST', `/api/v1/private/library/${gift.uid}/accept`)
    expect(await gamesOf(player)).toMatchObject([{ game: { uid: gift.uid }, releases: true, posts: false }])
    await unfollow(player, gift.uid)
    await player.json('POST', `/api/v1/private/library/${gift.uid}/accept`)
    expect((await listOf(player)).total).toBe(0)
  })
})

describe('a copy of personal data', () => {
  test('has follows, wishes and when secret addresses were made', async () => {
    const player = await signUp(server)
    await follow(player, game.uid, { wish: true, platforms: ['linux'] })
    await player.json('PUT', `${BASE}/developers/${owner.uid}`, { posts: false })
    await player.json('PATCH', '/api/v1/private/me', { follow_library: false })
    await forgetAccount(server.deps, server.deps.db, player.uid)
    expect(await readData(await player.fetch('/api/v1/private/me/export'))).toMatchObject({
      account: { follow_library: false },
      follows: {
        games: [
          {
            game_uid: game.uid,
            releases: true,
            posts: true,
            platforms: ['linux'],
            wish: true,
            position: 1,
            wished_price_cents: 1999,
          },
        ],
        developers: [{ developer_uid: owner.uid, new_games: true, posts: false }],
        wishlist_shared_since: null,
        feed_address_since: null,
      },
    })
  })
})
