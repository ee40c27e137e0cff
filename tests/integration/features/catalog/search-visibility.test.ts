import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { users } from '../../../../src/db/schema/accounts.ts'
import { tagSuggestions } from '../../../../src/db/schema/games/game-relations.ts'
import { games } from '../../../../src/db/schema/games/games.ts'
import { createUid } from '../../../../src/lib/ids.ts'
import { insertBuild, insertFile, pointChannel } from '../../../helpers/builds.ts'
import { bearerOf } from '../../../helpers/catalog.ts'
import { insertGame, insertPublicGame } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { indexNow, namesOf, searchFor } from '../../../helpers/search/search.ts'
import { useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
let owner: Person
beforeAll(async () => {
  owner = await signUp(server)
})

const set = (uid: string, values: Partial<typeof games.$inferInsert>) =>
  server.deps.db.update(games).set(values).where(eq(games.uid, uid))
const totalOf = async (query: string) => (await searchFor(server, query)).total

describe('who is found', () => {
  test.each(['draft', 'owner', 'invisible'] as const)('never a listing that is %s', async (visibility) => {
    const game = await insertGame(server, owner, { name: `Unseen ${visibility}`, visibility })
    await indexNow(server, game.uid)
    expect(await totalOf(`q=unseen+${visibility}`)).toBe(0)
  })

  test.each(['draft', 'owner', 'invisible'] as const)(
    'a listing that became %s is gone at once, its count when the index knows',
    async (visibility) => {
      const game = await insertPublicGame(server, owner, { name: `Retired ${visibility}` })
      await indexNow(server, game.uid)
      const query = `q=retired+${visibility}`
      expect(namesOf(await searchFor(server, query))).toEqual([game.name])
      await set(game.uid, { visibility })
      expect(await searchFor(server, query)).toMatchObject({ items: [], total: 1 })
      await indexNow(server, game.uid)
      expect(await searchFor(server, query)).toMatchObject({ items: [], total: 0, facets: { genres: {} } })
    },
  )

  test('a listing that became adult is gone at once', async () => {
    const game = await insertPublicGame(server, owner, { name: 'Corrupted' })
    await indexNow(server, game.uid)
    await set(game.uid, { adult: true })
    expect((await searchFor(server, 'q=corrupted')).items).toEqual([])
  })

  test('adult listings only by a player who turned them on', async () => {
    const game = await insertPublicGame(server, owner, { name: 'Midnight', adult: true, genres: ['horror'] })
    await indexNow(server, game.uid)
    const player = await signUp(server)
    const bearer = await bearerOf(player)
    const nothing = { items: [], total: 0, facets: { genres: {} } }
    expect(await searchFor(server, 'q=midnight')).toMatchObject(nothing)
    expect(await searchFor(server, 'q=midnight', bearer)).toMatchObject(nothing)
    const answer = await player.json('PATCH', '/api/v1/private/me', { adult_content: true })
    expect(answer.status).toBe(200)
    const found = await searchFor(server, 'q=midnight', bearer)
    expect(found).toMatchObject({ total: 1, facets: { genres: { horror: 1 } } })
    expect(namesOf(found)).toEqual(['Midnight'])
    expect(await searchFor(server, 'q=midnight')).toMatchObject(nothing)
  })

  test('answers to a bearer are private', async () => {
    const headers = await bearerOf(await signUp(server))
    const answer = await server.fetch('/api/v1/public/search', { headers })
    expect(answer.headers.get('cache-control')).toBe('private, no-cache')
    expect(answer.headers.get('vary')).toContain('Authorization')
  })
})

describe('community tags', () => {
  async function vote(gameUid: string, tag: string, votes: number): Promise<void> {
    const people = Array.from({ length: votes }, () => {
      const id = createUid()
      return { id, name: 'Voter', email: `${id}@example.org`, username: `voter-${id.slice(-8)}` }
    })
    await server.deps.db.insert(users).values(people)
    await server.deps.db
      .insert(tagSuggestions)
      .values(people.map(({ id }) => ({ gameUid, userUid: id, tag })))
  }

  test('are matched, excluded and counted together with the developer’s own, once they are shown', async () => {
    const game = await insertPublicGame(server, owner, {
      name: 'Beloved',
      tags: ['own-tag', 'b-tag', 'c-tag'],
    })
    await vote(game.uid, 'crowd-tag', 2)
    await indexNow(server, game.uid)
    expect(await totalOf('tags=crowd-tag')).toBe(0)
    expect(await totalOf('q=beloved&exclude_tags=crowd-tag')).toBe(1)
    await vote(game.uid, 'crowd-tag', 1)
    await indexNow(server, game.uid)
    const found = await searchFor(server, 'tags=crowd-tag,own-tag')
    expect(found.items[0]).toMatchObject({ name: 'Beloved', matched_tags: ['crowd-tag', 'own-tag'] })
    expect(found.facets.tags).toMatchObject({ 'crowd-tag': 1, 'own-tag': 1 })
    expect(await totalOf('q=beloved&exclude_tags=crowd-tag')).toBe(0)
  })
})

describe('platforms', () => {
  type Build = NonNullable<Parameters<typeof insertBuild>[2]>

  async function release(name: string, builds: (Build & { scan?: 'scanning'; isPointedAt?: boolean })[]) {
    const game = await insertPublicGame(server, owner, { name })
    for (const { scan, isPointedAt = true, ...values } of builds) {
      const build = await insertBuild(server, game.uid, values)
      await insertFile(server, build, scan ? { scan } : {})
      if (isPointedAt) await pointChannel(server, build)
    }
    await indexNow(server, game.uid)
  }

  test.each([
    ['a clean build', [{ os: 'windows', arch: 'x86_64' }], 'os=windows,linux', 1],
    ['another system', [{ os: 'windows', arch: 'x86_64' }], 'os=linux', 0],
    ['a build that is still scanned', [{ os: 'windows', arch: 'x86_64', scan: 'scanning' }], 'os=windows', 0],
    ['a build of another channel', [{ os: 'windows', arch: 'x86_64', channel: 'beta' }], 'os=windows', 0],
    [
      'a build that stable does not point at',
      [{ os: 'windows', arch: 'x86_64', isPointedAt: false }],
      'os=windows',
      0,
    ],
    ['system and architecture', [{ os: 'windows', arch: 'x86_64' }], 'os=windows&arch=x86_64', 1],
    ['another architecture', [{ os: 'windows', arch: 'x86_64' }], 'os=windows&arch=arm64', 0],
    [
      'both on different builds',
      [
        { os: 'windows', arch: 'x86_64' },
        { os: 'linux', arch: 'arm64' },
      ],
      'os=windows&arch=arm64',
      0,
    ],
    ['an architecture without a system is ignored', [{ os: 'windows', arch: 'x86_64' }], 'arch=arm64', 1],
    ['universal runs everywhere', [{ os: 'macos', arch: 'universal' }], 'os=macos&arch=arm64', 1],
    ['arm is arm32', [{ os: 'linux', arch: 'arm' }], 'os=linux&arch=arm32', 1],
    ['arm32 is arm', [{ os: 'linux', arch: 'arm32' }], 'os=linux&arch=arm', 1],
    ['wasm is wasm32', [{ os: 'web', arch: 'wasm' }], 'os=web&arch=wasm32', 1],
    ['an unknown architecture is ignored', [{ os: 'linux', arch: 'x86' }], 'os=linux&arch=z80', 1],
  ] as const)('%s', async (name, builds, query, total) => {
    const unique = `platform${crypto.randomUUID().slice(0, 8)}`
    await release(`${unique} ${name}`, [...builds])
    expect(await totalOf(`q=${unique}&${query}`)).toBe(total)
  })
})
