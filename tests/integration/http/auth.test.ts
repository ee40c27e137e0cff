import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { encryptionContext } from '../../../src/db/reencrypt.ts'
import { deployKeys } from '../../../src/db/schema/deploy-keys.ts'
import { extstoreLinks } from '../../../src/db/schema/extstore.ts'
import { sha256Hex } from '../../../src/lib/bytes/hash.ts'
import { insertBareGame } from '../../helpers/bare-game.ts'
import { issueDeployKey } from '../../helpers/builds.ts'
import { insertLink } from '../../helpers/extstore/extstore-links.ts'
import { readData, readFailure } from '../../helpers/json.ts'
import { startProbeServer } from '../../helpers/processes/probe-server.ts'
import { obtainToken } from '../../helpers/sign-in/oauth.ts'
import { useBeside, usePerson, useStore } from '../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const probe = useBeside(server, () => startProbeServer(server))
const person = usePerson(server)
let playerKey: string
let bugsKey: string
let playerToken: string
let agentToken: string

beforeAll(async () => {
  playerKey = await createKey(['player:read'])
  bugsKey = await createKey(['player:bugs'])
  playerToken = (await obtainToken(server, person, 'player:read')).access_token
  agentToken = (await obtainToken(server, person, 'mcp:builds.read')).access_token
})

async function createKey(scopes: string[]): Promise<string> {
  const answer = await person.json('POST', '/api/v1/private/player-keys', { label: 'for tests', scopes })
  return (await readData<{ key: string }>(answer)).key
}

const bearer = (value: string) => ({ authorization: `Bearer ${value}` })
const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  probe.fetch(path, { method, headers })

describe('public routes', () => {
  const path = '/api/v1/public/probe'

  test('no credential is anonymous', async () => {
    expect(await readData(await ask(path))).toEqual({ kind: 'anonymous' })
  })

  test('a player key and a player token are the player', async () => {
    for (const value of [playerKey, playerToken]) {
      const actor = await readData(await ask(path, bearer(value)))
      expect(actor).toMatchObject({
        kind: 'player',
        userUid: person.uid,
        scopes: ['player:read'],
        adultContent: false,
      })
    }
  })

  test('SVC_GAMES carries a bare key, and Authorization wins over it', async () => {
    expect(await readData(await ask(path, { SVC_GAMES: playerKey }))).toMatchObject({ kind: 'player' })
    const both = await ask(path, { SVC_GAMES: playerKey, ...bearer('nonsense') })
    expect(await readFailure(both)).toMatchObject({ status: 401, code: 4010 })
  })

  test.each([
    ['an unknown key', 'Bearer svc_play_unknown'],
    ['a token that is none', 'Bearer abc.def.ghi'],
    ['an empty bearer', 'Bearer'],
    ['another scheme', 'Basic dXNlcjpwYXNz'],
    ['the key without its scheme', 'svc_play_x'],
  ])('%s is 401 and never anonymous', async (_, authorization) => {
    expect(await readFailure(await ask(path, { authorization }))).toMatchObject({ status: 401, code: 4010 })
  })

  test('a token with a changed payload is 401', async () => {
    const [head, body = '', signature] = playerToken.split('.')
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString())
    const forged = Buffer.from(JSON.stringify({ ...claims, scope: 'player:read player:bugs' })).toString(
      'base64url',
    )
    const answer = await ask(path, bearer([head, forged, signature].join('.')))
    expect(await readFailure(answer)).toMatchObject({ status: 401, code: 4010 })
  })

  test('a token without the scope is 403/4031', async () => {
    expect(await readFailure(await ask(path, bearer(bugsKey)))).toMatchObject({ status: 403, code: 4031 })
    expect(await readFailure(await ask('/api/v1/public/bugs', bearer(playerKey)))).toMatchObject({
      status: 403,
      code: 4031,
    })
    expect(await readData(await ask('/api/v1/public/bugs', bearer(bugsKey)))).toMatchObject({
      kind: 'player',
    })
  })

  test('an agent token is the wrong kind: 403/4033', async () => {
    expect(await readFailure(await ask(path, bearer(agentToken)))).toMatchObject({ status: 403, code: 4033 })
  })

  test('a deploy key sent as a bearer is the wrong kind: 403/4033; a revoked one 401', async () => {
    const gameUid = await insertBareGame(server.deps.db)
    const { 'x-access-token': accessToken } = await issueDeployKey(server, gameUid)
    expect(await readFailure(await ask(path, bearer(accessToken)))).toMatchObject({ status: 403, code: 4033 })
    await server.deps.db
      .update(deployKeys)
      .set({ revokedAt: new Date() })
      .where(eq(deployKeys.accessToken, accessToken))
    expect(await readFailure(await ask(path, bearer(accessToken)))).toMatchObject({ status: 401, code: 4010 })
  })

  test('a cookie is never read', async () => {
    expect(await readData(await ask(path, { cookie: person.cookie }))).toEqual({ kind: 'anonymous' })
  })
})

describe('website routes', () => {
  const path = '/api/v1/private/probe'
  const post = (headers: Record<string, string>, body: unknown = { name: 'ok' }) =>
    probe.fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })

  test('the session is the user', async () => {
    const answer = await post({ cookie: person.cookie, origin: server.url })
    expect(await readData(answer)).toMatchObject({
      actor: { kind: 'user', userUid: person.uid, email: person.email },
    })
  })

  test('nobody is 401, and learns nothing about the body', async () => {
    expect(await readFailure(await post({}, { wrong: true }))).toMatchObject({ status: 401, code: 4010 })
    expect(
      await readFailure(await post({ cookie: 'playshelf.session_token=made-up', origin: server.url })),
    ).toMatchObject({
      status: 401,
      code: 4010,
    })
  })

  test.each([
    ['a foreign', 'https://evil.example'],
    ['a missing', null],
    ['a null', 'null'],
  ])('%s Origin is 403/4030 for a change', async (_, origin) => {
    const answer = await post({ cookie: person.cookie, ...(origin ? { origin } : {}) })
    expect(await readFailure(answer)).toMatchObject({ status: 403, code: 4030 })
  })

  test('player keys, player tokens and agent tokens are 403/4033, even beside a session', async () => {
    for (const value of [playerKey, playerToken, agentToken]) {
      expect(await readFailure(await post(bearer(value)))).toMatchObject({ status: 403, code: 4033 })
      const both = await post({ ...bearer(value), cookie: person.cookie, origin: server.url })
      expect(await readFailure(both)).toMatchObject({ status: 403, code: 4033 })
    }
  })

  test('a bad bearer is 401, even beside a session', async () => {
    const answer = await post({ ...bearer('nonsense'), cookie: person.cookie, origin: server.url })
    expect(await readFailure(answer)).toMatchObject({ status: 401, code: 4010 })
  })

  test('a route may admit agents with the scope it names', async () => {
    const agents = '/api/v1/private/agents'
    expect(await readData(await ask(agents, bearer(agentToken)))).toMatchObject({
      kind: 'agent',
      userUid: person.uid,
    })
    const other = (await obtainToken(server, person, 'mcp:crash.read')).access_token
    expect(await readFailure(await ask(agents, bearer(other)))).toMatchObject({ status: 403, code: 4031 })
    expect(await readFailure(await ask(agents, bearer(playerToken)))).toMatchObject({
      status: 403,
      code: 4033,
    })
    expect(await readData(await ask(agents, { cookie: person.cookie }))).toMatchObject({ kind: 'user' })
  })
})

describe('routes of the website and of players', () => {
  const send = (headers: Record<string, string>) => ask('/api/v1/private/players', headers, 'POST')

  test('a session from the website, or a player with the scope that the route names', async () => {
    const session = { cookie: person.cookie, origin: server.url }
    expect(await readData(await send(session))).toMatchObject({ kind: 'user', userUid: person.uid })
    const libraryToken = (await obtainToken(server, person, 'player:library')).access_token
    for (const value of [await createKey(['player:library']), libraryToken]) {
      const player = { kind: 'player', userUid: person.uid }
      expect(await readData(await send(bearer(value)))).toMatchObject(player)
      expect(await readData(await send({ svc_games: value }))).toMatchObject(player)
    }
    for (const value of [playerKey, playerToken, bugsKey])
      expect(await readFailure(await send(bearer(value)))).toMatchObject({ status: 403, code: 4031 })
  })

  test('nobody is 401, another website and other credentials 403, also beside a session', async () => {
    const session = { cookie: person.cookie, origin: server.url }
    const refused = async (headers: Record<string, string>) => {
      const { status, code } = await readFailure(await send(headers))
      return [status, code]
    }
    expect(await refused({})).toEqual([401, 4010])
    expect(await refused({ cookie: 'playshelf.session_token=made-up', origin: server.url })).toEqual([
      401, 4010,
    ])
    expect(await refused({ cookie: person.cookie })).toEqual([403, 4030])
    expect(await refused({ cookie: person.cookie, origin: 'https://evil.example' })).toEqual([403, 4030])
    expect(await refused({ ...session, ...bearer('nonsense') })).toEqual([401, 4010])
    expect(await refused({ ...session, ...bearer(agentToken) })).toEqual([403, 4033])
    const pair = await issueDeployKey(server, await insertBareGame(server.deps.db))
    expect(await refused({ ...pair })).toEqual([403, 4033])
  })
})

describe('deploy keys', () => {
  const path = '/api/v1/tool/probe'
  const send = (headers: Record<string, string>) => ask(path, headers, 'POST')

  async function insertDeployKey(): Promise<{ gameUid: string; accessToken: string; secretKey: string }> {
    const key = {
      gameUid: await insertBareGame(server.deps.db),
      accessToken: crypto.randomUUID(),
      secretKey: crypto.randomUUID(),
    }
    await server.deps.db
      .insert(deployKeys)
      .values({ gameUid: key.gameUid, accessToken: key.accessToken, secretHash: sha256Hex(key.secretKey) })
    return key
  }

  test('the pair is the game it was issued for', async () => {
    const { gameUid, accessToken, secretKey } = await insertDeployKey()
    const answer = await send({ 'x-access-token': accessToken, 'x-secret-key': secretKey })
    expect(await readData(answer)).toMatchObject({ kind: 'deploy_key', gameUid })
  })

  test('each fault has its code', async () => {
    const { accessToken, secretKey } = await insertDeployKey()
    expect(await readFailure(await send({}))).toMatchObject({ status: 401, code: 4020 })
    expect(await readFailure(await send({ 'x-secret-key': secretKey }))).toMatchObject({
      status: 401,
      code: 4020,
    })
    expect(await readFailure(await send({ 'x-access-token': accessToken }))).toMatchObject({
      status: 401,
      code: 4021,
    })
    const unknown = { 'x-access-token': 'unknown', 'x-secret-key': secretKey }
    expect(await readFailure(await send(unknown))).toMatchObject({ status: 401, code: 4022 })
    const wrong = { 'x-access-token': accessToken, 'x-secret-key': 'wrong' }
    expect(await readFailure(await send(wrong))).toMatchObject({ status: 401, code: 4024 })
    await server.deps.db
      .update(deployKeys)
      .set({ revokedAt: new Date() })
      .where(eq(deployKeys.accessToken, accessToken))
    const revoked = { 'x-access-token': accessToken, 'x-secret-key': secretKey }
    expect(await readFailure(await send(revoked))).toMatchObject({ status: 401, code: 4023 })
  })

  test('on a website route a good pair is 403/4033, a bad one 401', async () => {
    const { accessToken, secretKey } = await insertDeployKey()
    const good = await ask(
      '/api/v1/private/probe',
      { 'x-access-token': accessToken, 'x-secret-key': secretKey },
      'POST',
    )
    expect(await readFailure(good)).toMatchObject({ status: 403, code: 4033 })
    const bad = await ask(
      '/api/v1/private/probe',
      { 'x-access-token': accessToken, 'x-secret-key': 'wrong' },
      'POST',
    )
    expect(await readFailure(bad)).toMatchObject({ status: 401, code: 4024 })
  })
})

describe('game servers', () => {
  const insertAuthKey = async () => await insertLink(server.deps, await insertBareGame(server.deps.db))
  const call = (gameUid: string, headers: Record<string, string>) =>
    ask(`/api/v1/extstore/${gameUid}/server/probe`, headers)

  test('the auth key is the game', async () => {
    const { gameUid, authKey } = await insertAuthKey()
    expect(await readData(await call(gameUid, bearer(authKey)))).toMatchObject({
      kind: 'game_server',
      gameUid,
    })
  })

  test('a key that was replaced is refused at once, whatever the route does', async () => {
    const { gameUid, authKey } = await insertAuthKey()
    expect((await call(gameUid, bearer(authKey))).status).toBe(200)
    const replacement = 'f'.repeat(128)
    const sealed = server.deps.keyring.encrypt(replacement, encryptionContext.gameAuthKey(gameUid))
    await server.deps.db
      .update(extstoreLinks)
      .set({ authKey: sealed })
      .where(eq(extstoreLinks.gameUid, gameUid))
    const from = { 'x-forwarded-for': '10.77.0.3' }
    for (let guess = 0; guess < 30; guess += 1) {
      const answer = await call(gameUid, { ...from, ...bearer(authKey) })
      expect(await readFailure(answer)).toMatchObject({ status: 401, code: 4249 })
    }
    expect((await call(gameUid, { ...from, ...bearer(authKey) })).status).toBe(429)
    expect((await call(gameUid, { ...from, ...bearer(replacement) })).status).toBe(200)
  })

  test("a missing, wrong or another game's key is 401/4249", async () => {
    const [one, two] = [await insertAuthKey(), await insertAuthKey()]
    const from = { 'x-forwarded-for': '10.77.0.1' }
    for (const headers of [{}, bearer('wrong'), bearer(two.authKey), bearer(playerKey)]) {
      expect(await readFailure(await call(one.gameUid, { ...from, ...headers }))).toMatchObject({
        status: 401,
        code: 4249,
        message: expect.stringMatching('authorization' in headers ? /^This is not the/ : /is missing/),
      })
    }
    expect(await readFailure(await call('no-game', { ...from, ...bearer(one.authKey) }))).toMatchObject({
      status: 404,
      code: 4040,
    })
  })

  test('after 30 wrong keys a minute guesses are 429, and the right key still works', async () => {
    const { gameUid, authKey } = await insertAuthKey()
    const from = { 'x-forwarded-for': '10.77.0.2' }
    for (let guess = 0; guess < 30; guess += 1) {
      expect((await call(gameUid, { ...from, ...bearer(`guess-${guess}`) })).status).toBe(401)
    }
    expect(await readFailure(await call(gameUid, { ...from, ...bearer('guess') }))).toMatchObject({
      status: 429,
      code: 4290,
    })
    expect((await call(gameUid, { ...from, ...bearer(authKey) })).status).toBe(200)
  })
})

describe('a crash', () => {
  test('is 500/5000 without a word about its cause', async () => {
    const answer = await ask('/crash')
    const text = await answer.clone().text()
    expect(await readFailure(answer)).toMatchObject({ status: 500, code: 5000 })
    expect(text).not.toContain('secret detail')
    expect(text).not.toContain('at ')
    expect(answer.headers.get('x-request-id')).toBeTruthy()
  })

  test('is logged with its request id, secrets hidden', async () => {
    const lines: string[] = []
    const logged = await startProbeServer(server, (line) => lines.push(line))
    const answer = await logged.fetch('/crash')
    await logged.stop()
    const entry = lines.find((line) => line.includes('A request failed')) ?? ''
    expect(entry).toContain(answer.headers.get('x-request-id') ?? 'missing')
    expect(entry).toContain('secret detail')
    expect(entry).not.toContain('svc_play_abcdefghijk')
    expect(entry).toContain('"route":"/crash"')
  })

  test('an answer that does not fit its own schema is a crash too', async () => {
    const lines: string[] = []
    const logged = await startProbeServer(server, (line) => lines.push(line))
    const answer = await logged.fetch('/wrong-answer')
    await logged.stop()
    expect(await readFailure(answer)).toMatchObject({ status: 500, code: 5000 })
    expect(lines.join('')).toContain('data.n must be a number')
    expect(lines.join('')).not.toContain('a secret answer')
  })
})

describe('caching', () => {
  const path = '/api/v1/public/cached'

  test('an ETag that still fits is 304 without a body', async () => {
    const first = await ask(path)
    const etag = first.headers.get('etag') ?? ''
    expect(first.headers.get('cache-control')).toBe('public, max-age=5, must-revalidate')
    for (const sent of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await ask(path, { 'if-none-match': sent })
      expect(again.status).toBe(304)
      expect(again.headers.get('etag')).toBe(etag)
      expect(await again.text()).toBe('')
    }
    expect((await ask(path, { 'if-none-match': '"other"' })).status).toBe(200)
  })

  test('an answer to a bearer is private', async () => {
    const answer = await ask(path, bearer(playerKey))
    expect(answer.headers.get('cache-control')).toBe('private, no-cache')
    expect(answer.headers.get('vary')).toContain('Authorization')
  })
})
