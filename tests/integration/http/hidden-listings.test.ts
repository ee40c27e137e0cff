import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { extstoreLinks } from '../../../src/db/schema/extstore.ts'
import { oldVanityNames } from '../../../src/db/schema/games/games.ts'
import { sha256Hex } from '../../../src/lib/bytes/hash.ts'
import { createUid } from '../../../src/lib/ids.ts'
import { type Case, CASES } from '../../helpers/authorization/authorization-cases.ts'
import { createBugKey } from '../../helpers/bugs.ts'
import { insertBuild, insertFile, pointChannel } from '../../helpers/builds.ts'
import { watchStatements } from '../../helpers/catalog.ts'
import { insertLink } from '../../helpers/extstore/extstore-links.ts'
import { makeCrash, makeEvent } from '../../helpers/ingest.ts'
import { readData, readFailure } from '../../helpers/json.ts'
import {
  type GameRow,
  insertAdmin,
  insertGame,
  insertPublicGame,
  verifyEmail,
} from '../../helpers/listings.ts'
import { type Person, signUp } from '../../helpers/people.ts'
import { callSaves, createSaveKey } from '../../helpers/saves.ts'
import { SELLING_ENV } from '../../helpers/selling/selling.ts'
import { usePerson, useStore } from '../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1', ...SELLING_ENV })

/** Bodies that are fine, so that only the listing decides. */
const BODIES: Record<string, unknown> = {
  'POST /api/v1/extstore/:game_uid/auth': { ticket: 'abcd' },
  'POST /api/v1/extstore/:game_uid/refresh': { token: 'x' },
  'POST /api/v1/extstore/:game_uid/server/verify': { token: 'x' },
  'POST /api/v1/extstore/:game_uid/server/revoke': { jti: 'x' },
  'POST /api/v1/games/:game_uid/bugs': { message: 'x' },
  'POST /api/v1/games/:game_uid/bugs/notices/ack': { uids: [] },
  'POST /api/v1/player/games/:game_id/claim': {},
  'PUT /api/v1/player/games/:game_id/saves/:slot': {},
  'DELETE /api/v1/player/games/:game_id/saves/:slot': {},
  'POST /api/v1/player/games/:game_id/saves/:slot/restore': {},
  'POST /api/v1/public/events': { events: [makeEvent()] },
  'POST /api/v1/public/crashes': makeCrash(),
}

/** What a parameter of a public path names: a listing, or what belongs to one. Others are the same for both. */
const PARAMETERS: Record<string, (named: Named) => string> = {
  game_id: ({ ref }) => ref,
  game_uid: ({ ref }) => ref,
  file_uid: ({ fileUid }) => fileUid,
  sha256: ({ checksum }) => checksum,
  user_id: () => owner.uid,
  extstore_id: () => '76561198000000001',
  asset_id: ({ assetId }) => String(assetId),
  slug: ({ ref }) => ref,
  publisher: () => 'anyone',
  jam: () => OTHER,
  slot: () => 'main',
}
/** Paths whose parameters name no listing. */
const WITHOUT_LISTING = /^\/api\/v1\/public\/(?:shelves\/:kind$|jams\/:jam(?:\/|$))/

/** A search, which finds nothing. */
const SEARCHES = new Set(['GET /api/v1/public/files/by-checksum/:sha256'])

/** Downloads are noted some time later; the others are read now and then, and when notifications may be missing. */
const NOW_AND_THEN =
  /"download_events"|(?:from|update) "(?:collections|settings|player_keys)"|^(?:begin|commit)\b/

/** What else a private path names; there is no such thing. */
const OTHER = createUid()

interface Named {
  ref: string
  fileUid: string
  checksum: string
  assetId: number
}

const owner = usePerson(server)
const stranger = usePerson(server)
let bugKey: string
let saveKey: string
/** By what it is: names that lead to a hidden listing, each beside one that leads nowhere. */
let pairs: [what: string, hidden: Named, missing: Named][]

beforeAll(async () => {
  await verifyEmail(server, stranger)
  await stranger.json('PATCH', '/api/v1/private/me', { developer_mode: true })
  // More routes than writes a minute; the limits have tests of their own.
  Object.assign(server.deps.rates, { add: () => ({ count: 1, resetMs: 1000 }) })
  bugKey = await createBugKey(stranger)
  saveKey = await createSaveKey(stranger)
  // The first use of a key is recorded.
  await server.fetch(`/api/v1/games/${OTHER}/bugs/notices`, { headers: { svc_games: bugKey } })
  await callSaves(server, OTHER, saveKey).call('')
  // Read once, then cached.
  await server.fetch('/api/v1/public/collections')
  pairs = (await Promise.all((['draft', 'owner'] as const).map(hideListings))).flat()
})

async function hideListings(visibility: 'draft' | 'owner'): Promise<typeof pairs> {
  const [plain, on, off] = await Promise.all([1, 2, 3].map(() => insertGame(server, owner, { visibility })))
  if (!plain || !on || !off) throw new Error('The listings were not stored')
  const build = await insertBuild(server, plain.uid)
  const { uid: fileUid, checksum } = await insertFile(server, build)
  await pointChannel(server, build)
  await server.deps.db.insert(oldVanityNames).values({ name: `old-${visibility}`, gameUid: plain.uid })
  await insertLink(server.deps, on.uid)
  await insertLink(server.deps, off.uid)
  await server.deps.db
    .update(extstoreLinks)
    .set({ authKey: null, ticketKey: null, webApiKey: null })
    .where(eq(extstoreLinks.gameUid, off.uid))
  const file = { fileUid, checksum, assetId: plain.assetId }
  const nowhere = (ref: string) => ({
    ref,
    fileUid: createUid(),
    checksum: sha256Hex(ref),
    assetId: 2_000_000_000,
  })
  return [
    [`${visibility}, by uid`, { ref: plain.uid, ...file }, nowhere(createUid())],
    [`${visibility}, by name`, { ref: plain.vanityName, ...file }, nowhere('no-such-page')],
    [`${visibility}, by an old name`, { ref: `old-${visibility}`, ...file }, nowhere('old-nothing')],
    [`${visibility} with sign-in on, by name`, { ref: on.vanityName, ...file }, nowhere('no-such-page')],
    [`${visibility} with sign-in off, by name`, { ref: off.vanityName, ...file }, nowhere('no-such-page')],
  ]
}

interface PublicRoute {
  route: string
  method: string
  path: string
}

/** Every public route that names a listing, in its path or with X-App-Id. */
function readPublicRoutes(): PublicRoute[] {
  return server.app.routes
    .filter(({ path }) => path.startsWith('/api/v1/') && !/^\/api\/v1\/(private|tool|operator)\//.test(path))
    .filter(({ path, hooks }) => {
      const detail: { parameters?: { name: string }[] } = hooks.detail ?? {}
      const isSentByGame = detail.parameters?.some(({ name }) => name === 'X-App-Id') ?? false
      return isSentByGame || (path.includes(':') && !WITHOUT_LISTING.test(path))
    })
    .map(({ method, path }) => ({ route: `${method} ${path}`, method, path }))
}

function callPublic({ route, method, path }: PublicRoute, named: Named, address: string): Promise<Response> {
  const url = path.replace(/:(\w+)/g, (_, name: string) => {
    const read = PARAMETERS[name]
    if (!read) throw new Error(`${route}: say in PARAMETERS what ${name} names`)
    return read(named)
  })
  const body = BODIES[route]
  if (method !== 'GET' && body === undefined) throw new Error(`${route}: it needs an entry in BODIES`)
  const headers = {
    'x-forwarded-for': address,
    ...(path.startsWith('/api/v1/extstore') ? { authorization: 'Bearer x' } : {}),
    ...(path.startsWith('/api/v1/games') ? { authorization: `Bearer ${bugKey}` } : {}),
    ...(path.includes('/saves') ? { authorization: `Bearer ${saveKey}` } : {}),
    ...(path.includes(':') ? {} : { 'x-app-id': named.ref, 'x-build-id': createUid() }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  }
  return server.fetch(url, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })
}

/** Everything of an answer but what differs from request to request. */
async function essenceOf(answer: Response): Promise<object> {
  const headers = [...answer.headers].map(([name, value]) =>
    /^(x-request-id|date|ratelimit-.*)$/.test(name) ? [name] : [name, value],
  )
  return { status: answer.status, headers, body: await answer.text() }
}

let addresses = 0
const newAddress = () => `10.77.${(addresses += 1) >> 8}.${addresses & 255}`

describe('a hidden listing and one that does not exist', () => {
  test('are the same on every public route: byte by byte, and by the same queries', async () => {
    const routes = readPublicRoutes()
    expect(routes.length).toBeGreaterThan(14)
    for (const route of routes) {
      for (const [what, hidden, missing] of pairs) {
        const seen: object[] = []
        for (const named of [hidden, missing]) {
          let essence: object = {}
          const statements = await watchStatements(server, async () => {
            essence = await essenceOf(await callPublic(route, named, newAddress()))
          })
          const asked = statements.map(({ text }) => text).filter((text) => !NOW_AND_THEN.test(text))
          seen.push({ ...essence, statements: asked })
        }
        expect({ route: route.route, what, ...seen[0] }).toEqual({ route: route.route, what, ...seen[1] })
        expect(SEARCHES.has(route.route) ? [200] : [401, 404]).toContain(
          Reflect.get(seen[1] ?? {}, 'status') as number,
        )
      }
    }
  })

  test('are the same to a stranger on every private route of a listing', async () => {
    const cases = Object.entries(CASES).filter(
      ([route, { need }]) => need !== 'account' && route.includes(':uid'),
    )
    expect(cases.length).toBeGreaterThan(40)
    for (const [route, spec] of cases) {
      for (const [what, hidden, missing] of pairs.slice(0, 2)) {
        const [shown, expected] = [
          await essenceOf(await callPrivate(route, spec, hidden.ref)),
          await essenceOf(await callPrivate(route, spec, missing.ref)),
        ]
        expect({ route, what, ...shown }).toEqual({ route, what, ...expected })
        expect(expected).toMatchObject({ status: 404 })
      }
    }
  })
})

async function callPrivate(route: string, { body, form }: Case, ref: string): Promise<Response> {
  const [method = '', path = ''] = route.split(' ')
  const url = path.replace(/:(\w+)/g, (_, name: string) =>
    name === 'uid' ? ref : name === 'channel' ? 'beta' : OTHER,
  )
  const params = { build_id: OTHER }
  if (form) return await stranger.fetch(url, { method, body: await form(params) })
  return await stranger.json(method, url, typeof body === 'function' ? body(params) : body)
}

describe('a hidden listing that is linked to the external store', () => {
  test('is found by its uid, as the sign-in settings show it: 4245 while sign-in is off', async () => {
    for (const visibility of ['draft', 'owner'] as const) {
      const { uid } = await insertGame(server, owner, { visibility })
      const link = await insertLink(server.deps, uid)
      const send = async (headers: Record<string, string>) => {
        const answer = await server.fetch(`/api/v1/extstore/${uid}/server/revoke`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: JSON.stringify({ jti: 'x' }),
        })
        return [answer.status, await answer.json()] as const
      }
      expect(await send({ authorization: `Bearer ${link.authKey}` })).toMatchObject([
        200,
        { data: { revoked: 0 } },
      ])
      await owner.json('POST', `/api/v1/private/games/${uid}/steam/disable`)
      expect(await send({ authorization: 'Bearer x' })).toMatchObject([404, { error: { code: 4245 } }])
    }
  })
})

test('an open listing answers 4245 while sign-in is off, by uid and by name', async () => {
  for (const visibility of ['public', 'invisible'] as const) {
    const { uid, vanityName } = await insertGame(server, owner, { visibility })
    for (const ref of [uid, vanityName]) {
      const answer = await server.fetch(`/api/v1/extstore/${ref}/auth`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': newAddress() },
        body: JSON.stringify({ ticket: 'abcd' }),
      })
      expect(await answer.json()).toMatchObject({ error: { code: 4245 } })
    }
  }
})

describe('hidden names', () => {
  const SECRET = 'Unannounced'
  const secretName = `${SECRET.toLowerCase()}-sequel`

  const maker = usePerson(server)
  const modder = usePerson(server)
  /** Was public, with a mod, links and players of its own; then it was hidden and renamed. */
  let hidden: GameRow
  let mod: GameRow

  const pathOf = ({ uid }: GameRow) => `/api/v1/private/games/${uid}`
  const changed = async (person: Person, method: string, path: string, body?: unknown) => {
    const answer = await person.json(method, path, body)
    expect(answer.status).toBeLessThan(300)
  }

  beforeAll(async () => {
    hidden = await insertPublicGame(server, maker, { name: 'Lighthouse' })
    mod = await insertPublicGame(server, modder, { assetType: 'plugin' })
    await changed(modder, 'PATCH', pathOf(mod), {
      parent: { game: hidden.uid },
      similar_titles: [hidden.uid],
      dependencies: [{ kind: 'supports', game: hidden.uid }],
    })
    await changed(maker, 'PATCH', pathOf(hidden), { dependencies: [{ kind: 'uses', game: mod.uid }] })
    await changed(modder, 'POST', `${pathOf(hidden)}/claim`)
    await changed(modder, 'PUT', `${pathOf(hidden)}/review`, { rating: 5, text: 'Bright.' })
    await changed(maker, 'PUT', `${pathOf(hidden)}/visibility`, { visibility: 'draft' })
    await changed(maker, 'PATCH', pathOf(hidden), { name: `${SECRET} Sequel`, vanity_name: secretName })
  })

  describe('the name a listing got after it was hidden', () => {
    test('is in no answer to someone who may not see the page', async () => {
      const routes = server.app.routes
        .filter(({ method, path }) => method === 'GET' && path.startsWith('/api/v1/'))
        .map(({ path }) => path)
      expect(routes.length).toBeGreaterThan(40)
      for (const path of routes) {
        for (const { uid } of [mod, hidden]) {
          const params: Record<string, string> = { uid, game_id: uid, game_uid: uid, user_id: maker.uid }
          const url = path.replace(/:(\w+)/g, (_, name: string) => params[name] ?? 'none')
          const text = await (await modder.fetch(url)).text()
          expect([url, text.toLowerCase().includes(SECRET.toLowerCase())]).toEqual([url, false])
        }
      }
    })

    test('a mod keeps the uid of its parent, and can be saved with it', async () => {
      const parent = { game: hidden.uid, vanity_name: null, name: null, asset_type: null }
      expect(await readData(await modder.fetch(pathOf(mod)))).toMatchObject({ parent })
      const again = await modder.json('PATCH', pathOf(mod), { parent: { game: hidden.uid.toUpperCase() } })
      expect(await readData(again)).toMatchObject({ parent })
      const known = await readData(await maker.fetch(pathOf(hidden)))
      expect(known).toMatchObject({ name: `${SECRET} Sequel`, counts: { children: 1 } })
    })

    test('guessed as a parent it is refused like one that does not exist', async () => {
      const tell = async (game: string) => {
        const answer = await modder.json('PATCH', pathOf(mod), { parent: { game } })
        const text = (await answer.text()).replaceAll(game, 'the guess')
        return await readFailure(new Response(text, { status: answer.status }))
      }
      const [guessed, unknown] = [await tell(secretName), await tell('unannounced-nothing')]
      expect(guessed).toEqual(unknown)
      expect(guessed).toMatchObject({ status: 422, code: 4233 })
    })

    test('a library tells the name the game had when it was claimed', async () => {
      const library = await readData<{ items: { game: object }[] }>(
        await modder.fetch('/api/v1/private/library'),
      )
      expect(library.items).toMatchObject([
        { game: { uid: hidden.uid, name: 'Lighthouse', vanity_name: null } },
      ])
    })
  })

  describe('an admin of a mod', () => {
    test('learns nothing about other hidden listings of its owner', async () => {
      const admin = await signUp(server)
      const own = await insertGame(server, modder, { assetType: 'mod' })
      await insertAdmin(server, own.uid, admin, 'accepted')
      const draft = await insertGame(server, modder, { name: 'Not for admins' })
      const tell = async (game: string) =>
        await readFailure(await admin.json('PATCH', pathOf(own), { parent: { game } }))
      expect(await tell(draft.vanityName)).toMatchObject({ status: 422, code: 4233 })
      expect(await tell(draft.uid)).toMatchObject({ status: 422, code: 4233 })
      await changed(modder, 'PATCH', pathOf(own), { parent: { game: draft.uid } })
      expect(await readData(await admin.fetch(pathOf(own)))).toMatchObject({
        parent: { game: draft.uid, name: null },
      })
      expect(await readData(await modder.fetch(pathOf(own)))).toMatchObject({
        parent: { name: 'Not for admins' },
      })
    })
  })
})
