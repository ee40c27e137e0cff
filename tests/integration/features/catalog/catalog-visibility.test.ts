import { beforeAll, describe, expect, test } from 'bun:test'

import { oldVanityNames } from '../../../../src/db/schema/games/games.ts'
import { VISIBILITIES, type Visibility } from '../../../../src/domain/listings/visibility.ts'
import { bearerOf, findStatements } from '../../../helpers/catalog.ts'
import { type GameRow, insertAdmin, insertGame } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { useStore } from '../../../helpers/store.ts'

const CALLERS = ['anonymous', 'another player', 'the owner', 'an accepted admin'] as const
type Caller = (typeof CALLERS)[number]

/** Every public route of one listing. */
const ROUTES = {
  listing: (ref: string) => `/api/v1/public/games/${ref}`,
  relations: (ref: string) => `/api/v1/public/games/${ref}/relations`,
  children: (ref: string) => `/api/v1/public/games/${ref}/children`,
  files: (ref: string) => `/api/v1/public/user/${owner.uid}/games/${ref}/files`,
} as const
const ROUTE_NAMES = ['listing', 'relations', 'children', 'files'] as const

const server = useStore({ TRUST_PROXY: '1' })
let owner: Person
const games = new Map<Visibility, GameRow>()
const headers = new Map<Caller, Record<string, string>>()

beforeAll(async () => {
  const [other, admin] = await Promise.all([signUp(server), signUp(server)])
  owner = await signUp(server)
  headers.set('anonymous', {})
  headers.set('another player', await bearerOf(other))
  headers.set('the owner', await bearerOf(owner))
  headers.set('an accepted admin', await bearerOf(admin))
  for (const visibility of VISIBILITIES) {
    const game = await insertGame(server, owner, { visibility })
    await insertAdmin(server, game.uid, admin, 'accepted')
    await server.deps.db.insert(oldVanityNames).values({ name: `old-${visibility}`, gameUid: game.uid })
    games.set(visibility, game)
  }
})

function gameOf(visibility: Visibility): GameRow {
  const game = games.get(visibility)
  if (!game) throw new Error(`There is no ${visibility} listing`)
  return game
}

/** Everything of an answer but what differs from request to request. */
async function essence(answer: Response): Promise<object> {
  const kept = [...answer.headers].filter(([name]) => !/^(x-request-id|date|ratelimit-.*)$/.test(name))
  return { status: answer.status, headers: kept, body: await answer.text() }
}

describe('who can open the store page', () => {
  const cases = VISIBILITIES.flatMap((visibility) =>
    CALLERS.flatMap((caller) => ROUTE_NAMES.map((route) => [visibility, caller, route] as const)),
  )

  test.each(cases)('%s, asked by %s: %s', async (visibility, caller, route) => {
    const isOpen = visibility === 'public' || visibility === 'invisible'
    const { uid, vanityName } = gameOf(visibility)
    const init = { headers: headers.get(caller) ?? {} }
    for (const ref of [uid, vanityName]) {
      const answer = await server.fetch(ROUTES[route](ref), init)
      expect(answer.status).toBe(isOpen ? 200 : 404)
      const cacheControl = caller === 'anonymous' ? 'public, max-age=0, must-revalidate' : 'private, no-cache'
      expect(answer.headers.get('cache-control')).toBe(isOpen ? cacheControl : 'private, no-store')
    }
  })
})

describe.each(ROUTE_NAMES)('a hidden listing and a missing one: %s', (route) => {
  test.each(['draft', 'owner'] as const)('%s', async (visibility) => {
    const { uid, vanityName } = gameOf(visibility)
    const pairs = [
      [uid, crypto.randomUUID()],
      [vanityName, 'there-is-no-such-page'],
      [`old-${visibility}`, 'old-nothing'],
    ] as const
    for (const [hidden, missing] of pairs) {
      const [shown, expected] = await Promise.all(
        [hidden, missing].map(async (ref) => await essence(await server.fetch(ROUTES[route](ref)))),
      )
      expect(shown).toEqual(expected ?? {})
      expect(expected).toMatchObject({ status: 404 })
      const [forHidden, forMissing] = [await statementsFor(hidden), await statementsFor(missing)]
      expect(forHidden).toEqual(forMissing)
    }
  })

  async function statementsFor(ref: string): Promise<string[]> {
    const statements = await findStatements(server, () => server.fetch(ROUTES[route](ref)))
    return statements.map(({ text }) => text)
  }
})

describe.each(ROUTE_NAMES)('an old name: %s', (route) => {
  test.each(['public', 'invisible'] as const)('leads to the current one while %s', async (visibility) => {
    const answer = await server.fetch(`${ROUTES[route](`old-${visibility}`)}?page=2`)
    expect(answer.status).toBe(301)
    expect(answer.headers.get('location')).toBe(`${ROUTES[route](gameOf(visibility).vanityName)}?page=2`)
  })
})
