import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { editions } from '../../../../src/db/schema/games/game-pages.ts'
import { games } from '../../../../src/db/schema/games/games.ts'
import { refusePriceWhileAnonymous, toPrice } from '../../../../src/features/listings/pricing/service.ts'
import { createUid } from '../../../../src/lib/ids.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { type GameRow, insertGame } from '../../../helpers/listings.ts'
import { insertTeamGame, type People, type Role, signUpRoles } from '../../../helpers/roles.ts'
import { obtainToken } from '../../../helpers/sign-in/oauth.ts'
import { useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
let people: People
beforeAll(async () => {
  people = await signUpRoles(server)
})

const ENABLE = { enabled: true, confirm_no_license: true }
const pathOf = (uid: string) => `/api/v1/private/games/${uid}/anonymous-downloads`
const put = (game: { uid: string }, body: unknown, by = people.owner) =>
  by.json('PUT', pathOf(game.uid), body)
const addEdition = (game: GameRow) =>
  people.owner.json('POST', `/api/v1/private/games/${game.uid}/editions`, {
    name: 'Deluxe',
    price_cents: 1499,
  })

async function insertEdition(game: GameRow, active: boolean): Promise<string> {
  const [row] = await server.deps.db
    .insert(editions)
    .values({ gameUid: game.uid, name: 'Deluxe', priceCents: 1499, active })
    .returning()
  return row?.uid ?? ''
}

async function readGame({ uid }: GameRow): Promise<GameRow | undefined> {
  const [row] = await server.deps.db.select().from(games).where(eq(games.uid, uid))
  return row
}

describe('anonymous downloads', () => {
  test('are turned on with confirm_no_license, and off without it', async () => {
    const game = await insertGame(server, people.owner)
    const on = await put(game, ENABLE)
    expect(on.status).toBe(200)
    expect(await readData(on)).toEqual({ enabled: true })
    expect(await readGame(game)).toMatchObject({ anonymousDownloads: true, revision: game.revision + 1 })

    expect(await readData(await put(game, { enabled: false }))).toEqual({ enabled: false })
    const after = await readGame(game)
    expect(after).toMatchObject({ anonymousDownloads: false, revision: game.revision + 2 })
    expect(after?.updatedAt.getTime()).toBeGreaterThan(game.updatedAt.getTime())
  })

  test('what is so already stays as it is', async () => {
    const game = await insertGame(server, people.owner)
    await put(game, ENABLE)
    expect(await readData(await put(game, ENABLE))).toEqual({ enabled: true })
    expect(await readGame(game)).toMatchObject({ anonymousDownloads: true, revision: game.revision + 1 })
  })

  test('turning off works whatever the price, so that no state is a dead end', async () => {
    const game = await insertGame(server, people.owner, { priceCents: 999, anonymousDownloads: true })
    await insertEdition(game, true)
    expect((await put(game, { enabled: false, confirm_no_license: false })).status).toBe(200)
    expect(await readGame(game)).toMatchObject({ anonymousDownloads: false })
  })

  test('an edition that is put away does not keep them off', async () => {
    const game = await insertGame(server, people.owner)
    await insertEdition(game, false)
    expect((await put(game, ENABLE)).status).toBe(200)
  })

  test.each([
    ['no confirmation', { enabled: true }],
    ['confirm_no_license false', { enabled: true, confirm_no_license: false }],
  ])('enabling with %s is 400/4109', async (_, body) => {
    const game = await insertGame(server, people.owner)
    expect(await readFailure(await put(game, body))).toMatchObject({ status: 400, code: 4109 })
    expect(await readGame(game)).toMatchObject({ anonymousDownloads: false, revision: game.revision })
  })

  test('enabling with a price is 409/4113', async () => {
    const game = await insertGame(server, people.owner, { priceCents: 99 })
    expect(await readFailure(await put(game, ENABLE))).toMatchObject({ status: 409, code: 4113 })
  })

  test('enabling with an active edition is 409/4113', async () => {
    const game = await insertGame(server, people.owner)
    await insertEdition(game, true)
    expect(await readFailure(await put(game, ENABLE))).toMatchObject({ status: 409, code: 4113 })
    expect(await readGame(game)).toMatchObject({ anonymousDownloads: false })
  })

  test('authorization is judged first, then the confirmation, then the price', async () => {
    const game = await insertGame(server, people.owner, { priceCents: 99 })
    expect(await readFailure(await put(game, { enabled: true }, people.other))).toMatchObject({ code: 4040 })
    expect(await readFailure(await put(game, { enabled: true }))).toMatchObject({ code: 4109 })
  })

  test.each([
    ['no body', undefined],
    ['an empty body', {}],
    ['a text for enabled', { enabled: 'true', confirm_no_license: true }],
    ['a text for confirm_no_license', { enabled: true, confirm_no_license: 'yes' }],
    ['an unknown field', { ...ENABLE, reason: 'x' }],
  ])('%s is 400/4000', async (_, body) => {
    const game = await insertGame(server, people.owner)
    expect(await readFailure(await put(game, body))).toMatchObject({ status: 400, code: 4000 })
  })
})

describe('who may turn anonymous downloads on', () => {
  const table: [Role, GameRow['visibility'], status: number][] = [
    ['owner', 'draft', 200],
    ['owner', 'public', 200],
    ['admin', 'draft', 200],
    ['admin', 'owner', 200],
    ['admin', 'invisible', 200],
    ['admin', 'public', 200],
    ['invited', 'draft', 404],
    ['invited', 'owner', 404],
    ['invited', 'public', 403],
    ['other', 'draft', 404],
    ['other', 'owner', 404],
    ['other', 'invisible', 403],
    ['other', 'public', 403],
  ]
  test.each(table)('the %s on a listing that is %s: %d', async (role, visibility, status) => {
    const game = await insertTeamGame(server, people, visibility)
    expect((await put(game, ENABLE, people[role])).status).toBe(status)
    expect(await readGame(game)).toMatchObject({ anonymousDownloads: status === 200 })
  })

  test('an unknown listing is 404/4040', async () => {
    expect(await readFailure(await put({ uid: createUid() }, ENABLE))).toMatchObject({
      status: 404,
      code: 4040,
    })
  })

  test('nobody without a session: 401/4010', async () => {
    const game = await insertGame(server, people.owner)
    const init = {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(ENABLE),
    }
    expect(await readFailure(await server.fetch(pathOf(game.uid), init))).toMatchObject({
      status: 401,
      code: 4010,
    })
  })

  test('agent tokens are refused: 403/4033', async () => {
    const game = await insertGame(server, people.owner)
    const token = await obtainToken(server, people.owner, 'mcp:builds.write')
    const answer = await server.fetch(pathOf(game.uid), {
      method: 'PUT',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token.access_token}` },
      body: JSON.stringify(ENABLE),
    })
    expect(await readFailure(answer)).toMatchObject({ status: 403, code: 4033 })
  })
})

test('an edition and anonymous downloads at the same time never both succeed', async () => {
  for (let round = 0; round < 5; round += 1) {
    const pairs = await Promise.all(Array.from({ length: 8 }, () => insertGame(server, people.owner)))
    await Promise.all(
      pairs.map(async (game, index) => {
        const both = [() => put(game, ENABLE), () => addEdition(game)]
        const answers = await Promise.all((index % 2 === 0 ? both : both.toReversed()).map((call) => call()))
        const [won, lost] = answers.toSorted((a, b) => a.status - b.status)
        expect([200, 201]).toContain(won?.status ?? 0)
        const refusal = lost ? await readFailure(lost) : null
        expect(refusal).toMatchObject({ status: 409, code: won?.status === 200 ? 4114 : 4113 })
      }),
    )
  }
})

test.each([
  [true, 999, true],
  [true, 0, false],
  [false, 999, false],
])(
  'a price with anonymous downloads %p at %d cents is refused: %p',
  (anonymousDownloads, cents, isRefused) => {
    const attempt = () => refusePriceWhileAnonymous({ anonymousDownloads }, cents)
    if (isRefused) expect(attempt).toThrow('Anonymous downloads are on. Turn them off')
    else expect(attempt).not.toThrow()
  },
)

test.each([
  [0, true],
  [999, false],
])('a price of %d cents is shown with its currency', (cents, free) => {
  expect(toPrice(cents)).toEqual({ cents, currency: 'USD', free })
})
