import { beforeEach, describe, expect, test } from 'bun:test'

import { readData, readFailure, readJson } from '../../../helpers/json.ts'
import { type Person, randomAddress, signUp } from '../../../helpers/people.ts'
import { startProbeServer } from '../../../helpers/processes/probe-server.ts'
import {
  authorize,
  type Connection,
  createPkcePair,
  exchange,
  obtainToken,
  postForm,
  reconnect,
  register,
  registerClient,
} from '../../../helpers/sign-in/oauth.ts'
import { useBeside, useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const probe = useBeside(server, () => startProbeServer(server))
let person: Person
// Everyone may ask the account routes 30 times a minute.
beforeEach(async () => {
  person = await signUp(server)
})

const PROGRAMS = '/api/v1/private/me/programs'
const OFFLINE = 'player:read offline_access'

interface Program {
  client_id: string
  name: string
  scopes: string[]
  connected_at: string
  last_used_at: string | null
}

const listPrograms = async (of: Person) =>
  (await readData<{ items: Program[] }>(await of.fetch(`${PROGRAMS}?page_size=50`))).items

const disconnect = (clientId: string) => person.json('DELETE', `${PROGRAMS}/${clientId}`)

/** Here and in another process, at the same moment. */
async function useEverywhere(token: string): Promise<number[]> {
  const headers = { authorization: `Bearer ${token}`, 'x-forwarded-for': randomAddress() }
  const answers = await Promise.all([
    server.fetch('/api/v1/public/search?q=none', { headers }),
    probe.fetch('/api/v1/public/probe', { headers }),
  ])
  return answers.map(({ status }) => status)
}

const refresh = ({ clientId, refresh_token = '' }: Pick<Connection, 'clientId' | 'refresh_token'>) =>
  exchange(server, { grant_type: 'refresh_token', refresh_token, client_id: clientId })

const revoke = (clientId: string, token: string, hint?: string) =>
  postForm(server, '/api/auth/oauth2/revoke', {
    token,
    client_id: clientId,
    ...(hint !== undefined && { token_type_hint: hint }),
  })

async function expectEnded(connection: Connection): Promise<void> {
  expect(await useEverywhere(connection.access_token)).toEqual([401, 401])
  const answer = await refresh(connection)
  expect(answer.status).toBe(400)
  expect(await readJson(answer)).toMatchObject({ error: 'invalid_grant' })
}

async function expectAlive(connection: Connection): Promise<void> {
  expect(await useEverywhere(connection.access_token)).toEqual([200, 200])
}

describe('connected programs', () => {
  test('are listed with what they may do and when they last did it', async () => {
    const owner = await signUp(server)
    expect(await listPrograms(owner)).toEqual([])
    const { clientId, access_token } = await obtainToken(server, owner, OFFLINE)
    const [program] = await listPrograms(owner)
    expect(program).toMatchObject({
      client_id: clientId,
      name: 'A test client',
      scopes: ['player:read', 'offline_access'],
      last_used_at: null,
    })
    expect(program?.connected_at).toMatch(/^\d{4}-\d\d-\d\dT.*\.\d{3}Z$/)
    await useEverywhere(access_token)
    const used = (await listPrograms(owner))[0]?.last_used_at
    expect(used).toMatch(/^\d{4}-\d\d-\d\dT.*\.\d{3}Z$/)
    await useEverywhere(access_token)
    expect((await listPrograms(owner))[0]?.last_used_at).toBe(used ?? '')
    expect(await listPrograms(await signUp(server))).toEqual([])
  })

  test('end at once, everywhere, when they are disconnected', async () => {
    const connection = await obtainToken(server, person, OFFLINE)
    const other = await obtainToken(server, person, OFFLINE)
    await expectAlive(connection)
    expect(await (await disconnect(connection.clientId)).json()).toEqual({ success: true, data: {} })
    await expectEnded(connection)
    await expectAlive(other)
    expect((await listPrograms(person)).map((program) => program.client_id)).not.toContain(
      connection.clientId,
    )
    expect(await readFailure(await disconnect(connection.clientId))).toMatchObject({
      status: 404,
      code: 4040,
    })
  })

  test('can be connected again, and only what is new works', async () => {
    const connection = await obtainToken(server, person, OFFLINE)
    await disconnect(connection.clientId)
    const { clientId } = connection
    const again = { clientId, ...(await reconnect(server, person, { clientId, scope: OFFLINE })) }
    await expectAlive(again)
    await expectEnded(connection)
    await expectAlive(again)
  })

  test('of others cannot be disconnected', async () => {
    const connection = await obtainToken(server, await signUp(server), 'player:read')
    expect((await disconnect(connection.clientId)).status).toBe(404)
    await expectAlive(connection)
  })

  test('can do no more than the consent says, once it says less', async () => {
    const { clientId, access_token } = await obtainToken(server, person, 'player:read player:bugs')
    await reconnect(server, person, { clientId, scope: 'player:bugs player:install' })
    expect(await useEverywhere(access_token)).toEqual([403, 403])
  })

  test.each(['player:read', OFFLINE])('a code for %s is worth nothing after the end', async (scope) => {
    const clientId = await registerClient(server)
    const { verifier, challenge } = createPkcePair()
    const code = await authorize(server, person, { clientId, scope, challenge })
    await disconnect(clientId)
    const fields = { grant_type: 'authorization_code', code, client_id: clientId, code_verifier: verifier }
    const answer = await exchange(server, fields)
    expect(answer.status).toBe(400)
    expect(await readJson(answer)).toMatchObject({ error: 'invalid_grant' })
  })

  test('allowed twice at once are connected once', async () => {
    const clientId = await registerClient(server)
    const scope = 'player:read'
    const connect = () => reconnect(server, person, { clientId, scope })
    const made = await Promise.allSettled([connect(), connect(), connect()])
    expect(made.some(({ status }) => status === 'fulfilled')).toBe(true)
    expect((await listPrograms(person)).map((program) => program.client_id)).toEqual([clientId])
    await expectAlive({ clientId, ...(await connect()) })
  })

  test('an end amid refreshes leaves nothing behind', async () => {
    const connections = await Promise.all([1, 2, 3, 4].map(() => obtainToken(server, person, OFFLINE)))
    const [refreshed, ended] = await Promise.all([
      Promise.all(connections.map(refresh)),
      Promise.all(connections.map(({ clientId }) => disconnect(clientId))),
    ])
    expect(ended.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    for (const answer of refreshed) {
      expect([200, 400]).toContain(answer.status)
      const { access_token } = await readJson<{ access_token?: string }>(answer)
      if (access_token) expect(await useEverywhere(access_token)).toEqual([401, 401])
    }
  })
})

describe('what was stolen', () => {
  test('a code that is used twice ends what it gave', async () => {
    const clientId = await registerClient(server)
    const { verifier, challenge } = createPkcePair()
    const code = await authorize(server, person, { clientId, scope: 'player:read', challenge })
    const fields = { grant_type: 'authorization_code', code, client_id: clientId, code_verifier: verifier }
    const { access_token } = await readJson<{ access_token: string }>(await exchange(server, fields))
    expect(await useEverywhere(access_token)).toEqual([200, 200])
    expect((await exchange(server, fields)).status).toBe(400)
    expect(await useEverywhere(access_token)).toEqual([401, 401])
  })

  test('a refresh token that is used twice ends all of its tokens', async () => {
    const first = await obtainToken(server, person, OFFLINE)
    const { access_token } = await readJson<{ access_token: string }>(await refresh(first))
    expect((await refresh(first)).status).toBe(400)
    await expectEnded(first)
    expect(await useEverywhere(access_token)).toEqual([401, 401])
  })
})

describe('revocation by a public program', () => {
  test.each([undefined, 'access_token', 'refresh_token'])(
    'of an access token, hint %s, ends that one',
    async (hint) => {
      const connection = await obtainToken(server, person, OFFLINE)
      expect((await revoke(connection.clientId, connection.access_token, hint)).status).toBe(200)
      expect(await useEverywhere(connection.access_token)).toEqual([401, 401])
      expect((await refresh(connection)).status).toBe(200)
    },
  )

  test.each([undefined, 'access_token', 'refresh_token'])(
    'of a refresh token, hint %s, ends it and its access tokens',
    async (hint) => {
      const connection = await obtainToken(server, person, OFFLINE)
      const { clientId } = connection
      const other = { clientId, ...(await reconnect(server, person, { clientId, scope: OFFLINE })) }
      expect((await revoke(clientId, connection.refresh_token ?? '', hint)).status).toBe(200)
      await expectEnded(connection)
      await expectAlive(other)
    },
  )

  test('of an unknown token is no fault', async () => {
    const clientId = await registerClient(server)
    expect((await revoke(clientId, 'nothing')).status).toBe(200)
    expect((await revoke(clientId, 'a.b.c', 'access_token')).status).toBe(200)
  })

  test("of another program's tokens does nothing", async () => {
    const connection = await obtainToken(server, person, OFFLINE)
    const clientId = await registerClient(server)
    expect((await revoke(clientId, connection.access_token)).status).toBe(200)
    expect((await revoke(clientId, connection.refresh_token ?? '')).status).toBe(200)
    await expectAlive(connection)
    expect((await refresh(connection)).status).toBe(200)
  })

  test('by an unknown program, or without a token, is refused', async () => {
    expect((await revoke('nobody', 'x')).status).toBe(400)
    expect((await revoke(await registerClient(server), '')).status).toBe(400)
  })
})

test('a program with a secret needs it to revoke, and reads that a token ended', async () => {
  const answer = await register(server, { redirect_uris: ['http://127.0.0.1:39999/callback'] })
  const { client_id: clientId = '', client_secret: secret = '' } =
    await readJson<Record<string, string>>(answer)
  const basic = { authorization: `Basic ${btoa(`${clientId}:${secret}`)}` }
  const { verifier, challenge } = createPkcePair()
  const code = await authorize(server, person, { clientId, scope: 'player:read', challenge })
  const token = await postForm(
    server,
    '/api/auth/oauth2/token',
    {
      grant_type: 'authorization_code',
      code,
      code_verifier: verifier,
      redirect_uri: 'http://127.0.0.1:39999/callback',
    },
    basic,
  )
  const { access_token } = await readJson<{ access_token: string }>(token)
  const introspect = async () =>
    await readJson<{ active: boolean }>(
      await postForm(server, '/api/auth/oauth2/introspect', { token: access_token }, basic),
    )
  expect(await introspect()).toMatchObject({ active: true })
  expect((await revoke(clientId, access_token)).status).toBe(400)
  expect(await useEverywhere(access_token)).toEqual([200, 200])
  expect((await postForm(server, '/api/auth/oauth2/revoke', { token: access_token }, basic)).status).toBe(200)
  expect(await useEverywhere(access_token)).toEqual([401, 401])
  expect(await introspect()).toEqual({ active: false })
})
