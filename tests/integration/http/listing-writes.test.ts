import { describe, expect, test } from 'bun:test'

import { LIMITS } from '../../../src/domain/limit-table.ts'
import { buildFullDocument } from '../../helpers/cases/answers.ts'
import { readFailure } from '../../helpers/json.ts'
import { type GameRow, insertAdmin, insertGame } from '../../helpers/listings.ts'
import { asPerson, type Person, randomAddress, signUp } from '../../helpers/people.ts'
import { useStore } from '../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })

const { max } = LIMITS.listing_write

/** As different as writes get: several routes, by uid and by name, some of them refused. */
function write(person: Person, game: GameRow, number: number): Promise<Response> {
  const ref = number % 2 === 0 ? game.uid : game.vanityName
  const path = `/api/v1/private/games/${ref}`
  switch (number % 5) {
    case 0:
      return person.json('PUT', `${path}/store-links`, { links: [] })
    case 1:
      return person.json('POST', `${path}/changelog`, { title: `Change ${number}`, body: 'New.' })
    case 2:
      return person.json('PATCH', path, { surprise: true })
    case 3:
      return person.json('DELETE', `${path}/editions/${crypto.randomUUID()}`)
    default:
      return person.json('PATCH', path, { tagline: `Edit ${number}` })
  }
}

describe('writes to one listing', () => {
  test('are 60 a minute for an account, whatever they are', async () => {
    const [owner, admin] = [await signUp(server), await signUp(server)]
    const [game, other] = [await insertGame(server, owner), await insertGame(server, owner)]
    await insertAdmin(server, game.uid, admin, 'accepted')
    for (let number = 1; number <= max; number += 1) {
      const answer = await write(owner, game, number)
      expect(answer.status).not.toBe(429)
      expect(answer.headers.get('ratelimit-limit')).toBe(String(max))
      expect(answer.headers.get('ratelimit-remaining')).toBe(String(max - number))
    }
    for (let number = 0; number < 5; number += 1) {
      const refused = await write(owner, game, number)
      expect(refused.headers.get('ratelimit-remaining')).toBe('0')
      expect(Number(refused.headers.get('retry-after'))).toBeWithin(1, 61)
      expect(await readFailure(refused)).toMatchObject({ status: 429, code: 4290 })
    }
    expect((await owner.fetch(`/api/v1/private/games/${game.uid}`)).status).toBe(200)
    expect((await write(owner, other, 4)).status).toBe(200)
    expect((await write(admin, game, 4)).status).toBe(200)
    expect(
      (await owner.json('POST', '/api/v1/private/games', { name: 'New', asset_type: 'game' })).status,
    ).toBe(201)
  })

  test('of one account are 300 a minute, to however many listings', async () => {
    const owner = await signUp(server)
    const all = LIMITS.account_write.max
    const games = await Promise.all(Array.from({ length: all / max + 1 }, () => insertGame(server, owner)))
    const [first, ...others] = games
    if (!first) throw new Error('There is no listing')
    const send = (game: GameRow) =>
      owner.json('PUT', `/api/v1/private/games/${game.uid}/store-links`, { links: [] })
    const sendMany = async (game: GameRow, count: number) =>
      (await Promise.all(Array.from({ length: count }, () => send(game)))).map(({ status }) => status)
    // What the row of the listing refuses does not use up the account's.
    const statuses = await sendMany(first, max + 40)
    expect(statuses.filter((status) => status !== 429)).toHaveLength(max)
    for (const game of others.slice(0, -1)) expect(await sendMany(game, max)).not.toContain(429)
    const last = others.at(-1) ?? first
    const refused = await send(last)
    expect(refused.headers.get('ratelimit-limit')).toBe(String(all))
    expect(await readFailure(refused)).toMatchObject({ status: 429, code: 4290 })
    expect(await readFailure(await owner.json('PATCH', '/api/v1/private/me', {}))).toMatchObject({
      status: 429,
    })
    expect(
      (
        await owner.fetch(`/studio/${last.vanityName}/store-links`, {
          method: 'POST',
          body: new URLSearchParams(),
        })
      ).status,
    ).toBe(429)
    expect((await owner.fetch(`/api/v1/private/games/${last.uid}`)).status).toBe(200)
    const other = await signUp(server)
    expect((await other.json('PATCH', '/api/v1/private/me', {})).status).toBe(200)
  })

  test('of one account count together from every address, and apart from others behind the same one', async () => {
    const [person, neighbour] = [await signUp(server), await signUp(server)]
    const [home, train] = [randomAddress(), randomAddress()]
    const left = async (who: Person, from: string) => {
      const sent = await asPerson(server, { ...who, address: from }).json('PATCH', '/api/v1/private/me', {})
      expect(sent.headers.get('ratelimit-limit')).toBe(String(LIMITS.account_write.max))
      return LIMITS.account_write.max - Number(sent.headers.get('ratelimit-remaining'))
    }
    expect([await left(person, home), await left(person, train)]).toEqual([1, 2])
    expect(await left(neighbour, home)).toBe(1)
    expect(await left(person, home)).toBe(3)
  })

  test('of file uploads have limits of their own', async () => {
    const owner = await signUp(server)
    const game = await insertGame(server, owner)
    const path = `/api/v1/private/games/${game.uid}/upload/sessions/${crypto.randomUUID()}`
    const ended = await owner.json('DELETE', path)
    expect(ended.status).toBe(404)
    expect((await write(owner, game, 4)).headers.get('ratelimit-remaining')).toBe(String(max - 1))
  })

  test('do not tell a hidden listing from one that is not there', async () => {
    const [owner, stranger] = [await signUp(server), await signUp(server)]
    const hidden = await insertGame(server, owner)
    for (const body of [{ tagline: 'Mine' }, { surprise: true }]) {
      const answers = await Promise.all(
        [hidden.vanityName, `${hidden.vanityName}-not`].map(async (name) => {
          const answer = await stranger.json('PATCH', `/api/v1/private/games/${name}`, body)
          const { status, code } = await readFailure(answer)
          return { status, code, left: answer.headers.get('ratelimit-remaining') }
        }),
      )
      expect(answers[0]).toEqual(answers[1] ?? { status: 0, code: 0, left: null })
    }
  })

  test('are described with their limit', () => {
    const document = buildFullDocument(server.app)
    expect(document).toHaveProperty(
      ['paths', '/api/v1/private/games/{uid}', 'patch', 'description'],
      expect.stringContaining('At most 60 requests a minute per account to one listing'),
    )
    expect(document).toHaveProperty(['paths', '/api/v1/private/games/{uid}', 'patch', 'responses', '429'])
    expect(document).not.toHaveProperty(['paths', '/api/v1/private/games/{uid}', 'get', 'responses', '429'])
  })
})
