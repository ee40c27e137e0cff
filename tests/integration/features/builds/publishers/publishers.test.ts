import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { issueDeployKey } from '../../../../helpers/builds.ts'
import { readData, readFailure } from '../../../../helpers/json.ts'
import { type GameRow, insertGame } from '../../../../helpers/listings.ts'
import type { Person } from '../../../../helpers/people.ts'
import { signUp } from '../../../../helpers/people.ts'
import { startTestServer, type TestServer } from '../../../../helpers/server.ts'
import {
  addPublisher,
  exchange,
  type Issuer,
  jobToken,
  keyHeaders,
  type PublisherKey,
  startIssuer,
} from '../../../../helpers/sign-in/issuer.ts'
import { signUpVerified } from '../../../../helpers/uploads/uploads.ts'

let server: TestServer
let issuer: Issuer
let owner: Person
beforeAll(async () => {
  issuer = await startIssuer()
  server = await startTestServer({ TRUST_PROXY: '1', TRUSTED_ISSUERS: `${issuer.url},https://git.example` })
  owner = await signUpVerified(server)
  await owner.json('PATCH', '/api/v1/private/me', { developer_mode: true })
})
afterAll(async () => {
  await server.stop()
  await issuer.stop()
})

const pathOf = ({ uid }: GameRow, rest = '') => `/api/v1/private/games/${uid}/publishers${rest}`
const add = (game: GameRow, body: object) => owner.json('POST', pathOf(game), body)
const use = (headers: Record<string, string>) =>
  server.fetch('/api/v1/tool/upload/builds', { headers }).then(({ status }) => status)

async function exchangeKey(game: GameRow): Promise<PublisherKey> {
  return await readData<PublisherKey>(await exchange(server, game.uid, await jobToken(issuer, server)))
}

describe('the publishers of a game', () => {
  test('are added, listed and removed, and the history tells it', async () => {
    const game = await insertGame(server, owner)
    const answer = await add(game, {
      provider: 'github',
      repository: 'moss/garden',
      workflow: 'release.yml',
      environment: 'release',
      ref: 'refs/tags/v*',
      channels: ['beta', 'stable'],
    })
    expect(answer.status).toBe(201)
    const publisher = await readData<{ uid: string }>(answer)
    expect(publisher).toMatchObject({
      issuer: 'https://token.actions.githubusercontent.com',
      ref: 'refs/tags/v*',
      channels: ['beta', 'stable'],
      last_used_at: null,
      added_by: expect.any(String),
    })
    const list = await readData<object>(await owner.fetch(pathOf(game)))
    expect(list).toMatchObject({
      items: [publisher],
      total: 1,
      keys_allowed: true,
      issuers: [issuer.url, 'https://git.example'],
    })
    expect((await owner.json('DELETE', pathOf(game, `/${publisher.uid}`))).status).toBe(200)
    expect((await owner.json('DELETE', pathOf(game, `/${publisher.uid}`))).status).toBe(404)
    expect(await readData<object>(await owner.fetch(pathOf(game)))).toMatchObject({ items: [], total: 0 })
    const history = await readData(await owner.fetch(`/api/v1/private/games/${game.uid}/history`))
    expect(history).toMatchObject({
      items: [
        { kind: 'publisher_removed', subject: 'moss/garden release.yml refs/tags/v*' },
        { kind: 'publisher_added', subject: 'moss/garden release.yml refs/tags/v*' },
      ],
    })
  })

  test('are ten at most, and none twice', async () => {
    const game = await insertGame(server, owner)
    for (let at = 0; at < 10; at += 1)
      expect((await add(game, { provider: 'gitlab', repository: `moss/garden-${at}` })).status).toBe(201)
    const more = await readFailure(await add(game, { provider: 'gitlab', repository: 'moss/more' }))
    expect(more).toMatchObject({ status: 409, message: expect.stringContaining('10 trusted publishers') })
    const other = await insertGame(server, owner)
    const body = { provider: 'gitlab', repository: 'moss/garden', channels: ['beta', 'dev'] }
    const same = { ...body, channels: ['dev', 'beta'] }
    const statuses = await Promise.all([add(other, body), add(other, same)])
    expect(statuses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409])
  })

  test.each([
    ['an issuer that nobody trusts', { issuer: 'https://evil.example' }, 'issuer'],
    ['GitHub as a custom issuer', { provider: 'custom', issuer: null }, 'issuer'],
    ['a repository without an owner', { repository: 'garden' }, 'repository'],
    ['a repository that climbs', { repository: 'moss/../garden' }, 'repository'],
    ['a star inside of a ref', { ref: 'refs/*/main' }, 'ref'],
    ['two stars', { ref: 'refs/heads/**' }, 'ref'],
    ['a ref without its kind', { ref: 'main' }, 'ref'],
    ['a star inside of a workflow', { workflow: 're*.yml' }, 'workflow'],
    ['a channel that is none', { channels: ['beta', 'Not a channel'] }, 'channels[1]'],
  ])('refuses %s', async (_, fields, named) => {
    const game = await insertGame(server, owner)
    const failure = await readFailure(
      await add(game, { provider: 'github', repository: 'moss/garden', ...fields }),
    )
    expect(failure).toMatchObject({ status: 400, code: 4000, message: expect.stringContaining(named) })
  })

  test('need developer mode', async () => {
    const person = await signUp(server)
    const game = await insertGame(server, person)
    const answer = await person.json('POST', pathOf(game), { provider: 'github', repository: 'moss/garden' })
    expect(await readFailure(answer)).toMatchObject({ status: 403, code: 4105 })
  })

  test('that are removed end their live keys, and no others', async () => {
    const game = await insertGame(server, owner)
    const uid = await addPublisher(owner, game.uid, issuer)
    const [key, pair] = [await exchangeKey(game), await issueDeployKey(server, game.uid)]
    expect(await use(keyHeaders(key))).toBe(200)
    await owner.json('DELETE', pathOf(game, `/${uid}`))
    expect(await use(keyHeaders(key))).toBe(401)
    expect(await use({ ...pair })).toBe(200)
  })

  test('are in the personal data of who added them', async () => {
    const person = await signUpVerified(server)
    await person.json('PATCH', '/api/v1/private/me', { developer_mode: true })
    const game = await insertGame(server, person)
    await addPublisher(person, game.uid, issuer)
    const exported = await readData(await person.json('GET', '/api/v1/private/me/export'))
    expect(exported).toMatchObject({ publishers: [{ game_uid: game.uid, repository: 'moss/garden' }] })
  })
})

describe('only trusted publishers', () => {
  const put = (game: GameRow, keys_allowed: boolean) =>
    owner.json('PUT', `/api/v1/private/games/${game.uid}/publishing`, { keys_allowed })

  test('ends deploy keys, issues none, and leaves the keys of publishers', async () => {
    const game = await insertGame(server, owner)
    await addPublisher(owner, game.uid, issuer)
    const [pair, key] = [await issueDeployKey(server, game.uid), await exchangeKey(game)]
    expect(await readData<object>(await put(game, false))).toEqual({ keys_allowed: false })
    expect(await use({ ...pair })).toBe(401)
    expect(await use(keyHeaders(key))).toBe(200)
    const keys = `/api/v1/private/games/${game.uid}/deploy-keys`
    expect(await readFailure(await owner.json('POST', keys))).toMatchObject({ status: 403, code: 4030 })
    await put(game, true)
    expect((await owner.json('POST', keys)).status).toBe(201)
    expect(await use({ ...pair })).toBe(401)
  })

  test('a new pair revokes no key of a publisher, and the list of pairs does not show it', async () => {
    const game = await insertGame(server, owner)
    await addPublisher(owner, game.uid, issuer)
    const [first, second] = [await exchangeKey(game), await exchangeKey(game)]
    const keys = `/api/v1/private/games/${game.uid}/deploy-keys`
    await owner.json('POST', keys)
    expect(await use(keyHeaders(first))).toBe(200)
    expect(await use(keyHeaders(second))).toBe(200)
    expect(await readData<object>(await owner.fetch(keys))).toMatchObject({ total: 1 })
  })
})
