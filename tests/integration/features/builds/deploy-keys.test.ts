import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { deployKeys } from '../../../../src/db/schema/deploy-keys.ts'
import { sha256Hex } from '../../../../src/lib/bytes/hash.ts'
import { insertBuild } from '../../../helpers/builds.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { type GameRow, insertAdmin, insertGame, insertPublicGame } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
let owner: Person
let game: GameRow
beforeAll(async () => {
  owner = await signUpDeveloper()
  game = await insertGame(server, owner)
})

interface Pair {
  access_token: string
  secret_key: string
}

const pathOf = (uid: string) => `/api/v1/private/games/${uid}/deploy-keys`
const issue = async (person: Person, uid: string) =>
  await readData<Pair>(await person.json('POST', pathOf(uid)))
const useHeaders = (headers: Record<string, string>, path = '/api/v1/tool/upload/builds') =>
  server.fetch(path, { headers })
const use = ({ access_token, secret_key }: Pair) =>
  useHeaders({ 'x-access-token': access_token, 'x-secret-key': secret_key })

async function signUpDeveloper(): Promise<Person> {
  const person = await signUp(server)
  await person.json('PATCH', '/api/v1/private/me', { developer_mode: true })
  return person
}

describe('a deploy key', () => {
  test('is shown once, as a url-safe pair of which only a hash of the secret is kept', async () => {
    const answer = await owner.json('POST', pathOf(game.uid))
    expect(answer.status).toBe(201)
    const pair = await readData<Pair>(answer)
    expect(Object.keys(pair)).toEqual(['access_token', 'secret_key'])
    expect(pair.access_token).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(pair.secret_key).toMatch(/^[A-Za-z0-9_-]{43}$/)
    const [row] = await server.deps.db
      .select()
      .from(deployKeys)
      .where(eq(deployKeys.accessToken, pair.access_token))
    expect(row?.secretHash).toBe(sha256Hex(pair.secret_key))
    expect(JSON.stringify(row)).not.toContain(pair.secret_key)
    const list = await (await owner.fetch(pathOf(game.uid))).text()
    expect(list).not.toContain(pair.access_token)
    expect(list).toContain(`"last4":"${pair.access_token.slice(-4)}"`)
    expect((await use(pair)).status).toBe(200)
  })

  test('issuing a new pair revokes all earlier pairs of that game, and of no other', async () => {
    const [mine, other] = [await insertGame(server, owner), await insertGame(server, owner)]
    const [first, elsewhere] = [await issue(owner, mine.uid), await issue(owner, other.uid)]
    const second = await issue(owner, mine.uid)
    expect(await readFailure(await use(first))).toMatchObject({ status: 401, code: 4023 })
    expect((await use(second)).status).toBe(200)
    expect((await use(elsewhere)).status).toBe(200)
    const list = await readData(await owner.fetch(pathOf(mine.uid)))
    expect(list).toMatchObject({
      total: 2,
      items: [
        { last4: second.access_token.slice(-4), revoked_at: null },
        { last4: first.access_token.slice(-4), revoked_at: expect.stringMatching(/Z$/) },
      ],
    })
  })

  test('of ten issued at once exactly one works', async () => {
    const mine = await insertGame(server, owner)
    const pairs = await Promise.all(Array.from({ length: 10 }, () => issue(owner, mine.uid)))
    const answers = await Promise.all(pairs.map(async (pair) => (await use(pair)).status))
    expect(answers.toSorted((a, b) => a - b)).toEqual([200, ...Array.from({ length: 9 }, () => 401)])
  })

  test('needs developer mode: 403/4105', async () => {
    const player = await signUp(server)
    const mine = await insertGame(server, player)
    expect(await readFailure(await player.json('POST', pathOf(mine.uid)))).toMatchObject({
      status: 403,
      code: 4105,
    })
    await player.json('PATCH', '/api/v1/private/me', { developer_mode: true })
    expect((await player.json('POST', pathOf(mine.uid))).status).toBe(201)
  })

  test('is issued by the owner and accepted admins', async () => {
    const [admin, stranger] = [await signUpDeveloper(), await signUpDeveloper()]
    await insertAdmin(server, game.uid, admin, 'accepted')
    expect((await admin.json('POST', pathOf(game.uid))).status).toBe(201)
    expect(await readFailure(await stranger.json('POST', pathOf(game.uid)))).toMatchObject({ code: 4040 })
    const open = await insertPublicGame(server, owner)
    expect(await readFailure(await stranger.json('POST', pathOf(open.uid)))).toMatchObject({ code: 4030 })
  })

  test('is listed in pages, newest first', async () => {
    const mine = await insertGame(server, owner)
    const pairs: Pair[] = []
    for (let made = 0; made < 3; made += 1) pairs.push(await issue(owner, mine.uid))
    const page = await readData(await owner.fetch(`${pathOf(mine.uid)}?page=2&page_size=1`))
    expect(page).toMatchObject({ total: 3, page: 2, items: [{ last4: pairs[1]?.access_token.slice(-4) }] })
  })
})

describe('a tool route', () => {
  let pair: Pair
  beforeAll(async () => {
    pair = await issue(owner, game.uid)
  })

  test.each([
    ['without X-Access-Token', () => ({ 'x-secret-key': pair.secret_key }), 4020],
    ['without X-Secret-Key', () => ({ 'x-access-token': pair.access_token }), 4021],
    ['with an unknown token', () => ({ 'x-access-token': 'nobody', 'x-secret-key': pair.secret_key }), 4022],
    ['with a wrong secret', () => ({ 'x-access-token': pair.access_token, 'x-secret-key': 'wrong' }), 4024],
  ])('%s is 401', async (_, headers, code) => {
    expect(await readFailure(await useHeaders(headers()))).toMatchObject({ status: 401, code })
  })

  test("finds no build of another game by this game's key", async () => {
    const build = await insertBuild(server, (await insertGame(server, owner)).uid)
    const headers = { 'x-access-token': pair.access_token, 'x-secret-key': pair.secret_key }
    const answer = await useHeaders(headers, `/api/v1/tool/upload/builds/${build.uid}`)
    expect(await readFailure(answer)).toMatchObject({ status: 404, code: 4039 })
  })
})
