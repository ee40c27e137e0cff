import { afterEach, beforeAll, describe, expect, test } from 'bun:test'

import { users } from '../../../src/db/schema/accounts.ts'
import { deployKeys } from '../../../src/db/schema/deploy-keys.ts'
import { gameAdmins } from '../../../src/db/schema/games/game-pages.ts'
import { licenses, playTimes } from '../../../src/db/schema/games/game-players.ts'
import { games } from '../../../src/db/schema/games/games.ts'
import { AGENT_SCOPES, PLAYER_SCOPES } from '../../../src/domain/actor.ts'
import { sha256Hex } from '../../../src/lib/bytes/hash.ts'
import {
  type CallerKind,
  CALLERS,
  type Case,
  CASES,
  type PageState,
  type Params,
  type SessionKind,
  type Setting,
} from '../../helpers/authorization/authorization-cases.ts'
import { readData } from '../../helpers/json.ts'
import { type GameRow, insertCover, insertGame, verifyEmail } from '../../helpers/listings.ts'
import { type Person, randomAddress, signUp } from '../../helpers/people.ts'
import { connect, useQuietShop } from '../../helpers/selling/selling.ts'
import type { TestServer } from '../../helpers/server.ts'
import { obtainToken } from '../../helpers/sign-in/oauth.ts'

const shop = useQuietShop()
let server: TestServer
let people: Record<SessionKind, Person>
let bearers: Partial<Record<CallerKind, string>>

beforeAll(async () => {
  ;({ server } = shop)
  const [other, invited, admin, owner] = await Promise.all([1, 2, 3, 4].map(() => signUp(server)))
  if (!other || !invited || !admin || !owner) throw new Error('Nobody signed up')
  await Promise.all([other, invited, admin, owner].map((person) => verifyEmail(server, person)))
  await server.deps.db.update(users).set({ developerMode: true })
  await Promise.all([other, invited, admin, owner].map((person) => connect(shop, person)))
  people = { 'other user': other, 'invited admin': invited, 'accepted admin': admin, owner }
  const createKey = async (scopes: readonly string[]) => {
    const key = await owner.json('POST', '/api/v1/private/player-keys', { label: 'x', scopes })
    return (await readData<{ key: string }>(key)).key
  }
  bearers = {
    'player key': await createKey([PLAYER_SCOPE]),
    'player key with every scope': await createKey(PLAYER_SCOPES),
    'player token': (await obtainToken(server, owner, PLAYER_SCOPE)).access_token,
    'agent token': (await obtainToken(server, owner, AGENT_SCOPE)).access_token,
    'agent token with every scope': (await obtainToken(server, owner, AGENT_SCOPES.join(' '))).access_token,
  }
})
// An account can have only so many drafts.
afterEach(async () => {
  await server.deps.db.delete(games)
})

/** The one scope of `agent token`. */
const AGENT_SCOPE = 'mcp:catalog.read'
/** The one scope of `player key` and `player token`. */
const PLAYER_SCOPE = 'player:read'

function readPrivateRoutes(): { route: string; access: unknown; scopes: unknown }[] {
  return server.app.routes
    .filter(({ path }) => path.startsWith('/api/v1/private'))
    .map(({ method, path, hooks }) => {
      const detail: Record<string, unknown> = hooks.detail ?? {}
      return { route: `${method} ${path}`, access: detail['x-access'], scopes: detail['x-scopes'] }
    })
}

describe('every private route, every kind of caller', () => {
  test('each route has an expectation, each expectation a route', () => {
    expect(Object.keys(CASES).toSorted()).toEqual(
      readPrivateRoutes()
        .map(({ route }) => route)
        .toSorted(),
    )
  })

  const rows = Object.keys(CASES).flatMap((route) =>
    (['draft', 'public'] as const).map((state) => [route, state] as const),
  )
  test.each(rows)('%s on a %s page', async (route, state) => {
    const answers: [CallerKind, number, number | undefined][] = []
    const expected: typeof answers = []
    // Whoever is refused changes nothing, so all of them meet the same page.
    const closed: Target = await makeTarget(route, 'owner', state)
    for (const caller of CALLERS) {
      const isRefused = (expectation(route, caller, state)[1] ?? 0) > 0
      const target = isRefused ? closed : await makeTarget(route, caller, state)
      const { status, code } = await call(route, caller, target)
      answers.push([caller, status, code])
      const [wanted, wantedCode] = expectation(route, caller, state)
      expected.push([caller, wanted, wantedCode ?? code])
    }
    expect(answers).toEqual(expected)
  })
})

/** A page of its own for every call, with a licence and play time for everyone. */
async function makePage(state: PageState): Promise<GameRow> {
  const game = await insertGame(server, people.owner, { visibility: state })
  const { db } = server.deps
  const { 'accepted admin': accepted, 'invited admin': invited } = people
  const rows = Object.values(people).map(({ uid: userUid }) => ({ gameUid: game.uid, userUid }))
  await insertCover(server, game.uid)
  await db.insert(gameAdmins).values([
    { gameUid: game.uid, userUid: accepted.uid, acceptedAt: new Date() },
    { gameUid: game.uid, userUid: invited.uid },
  ])
  await db.insert(licenses).values(rows.map((row) => ({ ...row, source: 'claimed' as const })))
  await db.insert(playTimes).values(rows.map((row) => ({ ...row, seconds: 2 * 3600 })))
  return game
}

interface Target {
  game: GameRow
  params: Params
}

async function makeTarget(route: string, kind: CallerKind, state: PageState): Promise<Target> {
  const game = await makePage(state)
  const caller = people[isSession(kind) ? kind : 'owner']
  const setting: Setting = { server, game, caller, state }
  return { game, params: { uid: game.uid, ...(await CASES[route]?.params?.(setting)) } }
}

async function call(
  route: string,
  kind: CallerKind,
  { game, params }: Target,
): Promise<{ status: number; code?: number }> {
  const [method = '', path = ''] = route.split(' ')
  const spec = CASES[route]
  if (!spec) throw new Error(`No expectation for ${route}`)
  const caller = people[isSession(kind) ? kind : 'owner']
  const url = path.replace(/:(\w+)/g, (_, name: string) => params[name] ?? name)
  const init = { method, ...(await bodyOf(spec, params)) }
  const headers = new Headers(init.headers)
  const credentials = await credentialsOf(kind, game)
  for (const [name, value] of Object.entries(credentials)) headers.set(name, value)
  const answer = await (isSession(kind)
    ? caller.fetch(url, { ...init, headers })
    : server.fetch(url, { ...init, headers }))
  const body = (await answer.json()) as { error?: { code: number } }
  return { status: answer.status, ...(body.error && { code: body.error.code }) }
}

async function bodyOf({ body, form }: Case, params: Params): Promise<RequestInit> {
  if (form) return { body: await form(params) }
  if (body === undefined) return {}
  const content = typeof body === 'function' ? body(params) : body
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(content) }
}

async function credentialsOf(kind: CallerKind, game: GameRow): Promise<Record<string, string>> {
  const address = { 'x-forwarded-for': randomAddress() }
  if (isSession(kind)) return {}
  const bearer = bearers[kind]
  if (bearer !== undefined) return { ...address, authorization: `Bearer ${bearer}` }
  if (kind !== 'deploy key') return address
  const [accessToken, secret] = [crypto.randomUUID(), crypto.randomUUID()]
  const values = { gameUid: game.uid, accessToken, secretHash: sha256Hex(secret) }
  await server.deps.db.insert(deployKeys).values(values)
  return { ...address, 'x-access-token': accessToken, 'x-secret-key': secret }
}

function expectation(route: string, kind: CallerKind, state: PageState): [status: number, code?: number] {
  const spec = CASES[route]
  if (!spec) throw new Error(`No expectation for ${route}`)
  if (kind === 'signed out') return [401, 4010]
  if (!isSession(kind)) {
    const { access, scopes } = readPrivateRoutes().find((known) => known.route === route) ?? {}
    const isAdmitted =
      (access === 'website_or_agent' && kind.startsWith('agent')) ||
      (access === 'website_or_player' && kind.startsWith('player'))
    if (!isAdmitted) return [403, 4033]
    const isInScope =
      kind.endsWith('every scope') ||
      Bun.deepEquals(scopes, [kind === 'agent token' ? AGENT_SCOPE : PLAYER_SCOPE])
    if (!isInScope) return [403, 4031]
    return [spec.except?.('owner', state) ?? spec.allowedAgent ?? spec.allowed ?? 200]
  }
  const refused = refusal(spec, kind, state)
  if (refused !== null) return refused
  return [spec.except?.(kind, state) ?? spec.allowed ?? 200]
}

/** By completions 0: who may not see the page gets 404, who may see it but not touch it 403. */
function refusal({ need }: Case, kind: SessionKind, state: PageState): [number, number] | null {
  const isMaker = kind === 'owner' || kind === 'accepted admin'
  const sees = state === 'public' || isMaker
  const isEnough = { account: true, see: sees, edit: isMaker, own: kind === 'owner' }[need]
  if (isEnough) return null
  return sees ? [403, 4030] : [404, 4040]
}

function isSession(kind: CallerKind): kind is SessionKind {
  return kind in people
}
