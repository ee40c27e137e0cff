import { beforeAll, describe, expect, test } from 'bun:test'

import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

import { AGENT_SCOPES } from '../../../../src/domain/actor.ts'
import { TOOLS } from '../../../../src/features/agents/protocol.ts'
import { createRandom } from '../../../../src/lib/random.ts'
import { SCOPE_TEXTS } from '../../../../src/site/account/program-pages.tsx'
import type { PageState } from '../../../helpers/authorization/authorization-cases.ts'
import { issueDeployKey } from '../../../helpers/builds.ts'
import { TOOL_CASES, type ToolCase } from '../../../helpers/cases/agent-tool-cases.ts'
import { nastyBody, nastyText, nastyValue } from '../../../helpers/hostile/fuzz.ts'
import { nested, SHAPES, WIDE } from '../../../helpers/hostile/hostile-json.ts'
import { readData, readFailure, readJson } from '../../../helpers/json.ts'
import {
  type GameRow,
  insertAdmin,
  insertCover,
  insertGame,
  insertLicense,
  verifyEmail,
} from '../../../helpers/listings.ts'
import { bearerOf, callTool, fetchFromAnywhere, MemoryProvider, postMcp } from '../../../helpers/mcp.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { obtainToken, postForm } from '../../../helpers/sign-in/oauth.ts'
import { useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
let person: Person

describe('hostile calls', () => {
  const SEED = 20_261_116
  const BODIES = 400
  /** All tools together need fewer than a token has in a minute. */
  const CALLS_PER_TOOL = 5

  beforeAll(async () => {
    person = await signUp(server)
  })

  async function connect(): Promise<Record<string, string>> {
    return bearerOf((await obtainToken(server, person, AGENT_SCOPES.join(' '))).access_token)
  }

  /** The status and the code of an error of JSON-RPC. */
  async function readError(answer: Response): Promise<[number, number]> {
    const { jsonrpc, id, error } = await readJson<{ jsonrpc: string; id: null; error: { code: number } }>(
      answer,
    )
    expect({ jsonrpc, id }).toEqual({ jsonrpc: '2.0', id: null })
    return [answer.status, error.code]
  }

  const callOf = (args: string) =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_projects","arguments":${args}}}`

  describe('bodies', () => {
    let agent: Record<string, string>
    beforeAll(async () => {
      agent = await connect()
    })
    const send = (body: string | Uint8Array) => postMcp(server, body, agent)

    test.each([...SHAPES])('%s that are nested too deep are refused', async (shape) => {
      for (const depth of [63, 20_000, 100_000]) {
        const answer = await send(callOf(nested(depth, shape)))
        expect(await readError(answer)).toEqual([400, -32_700])
      }
    })

    test.each(Object.keys(WIDE))('%s are refused', async (name) => {
      const status = (await send(callOf(WIDE[name] ?? ''))).status
      expect([200, 400, 413]).toContain(status)
    })

    test('more than a megabyte is refused', async () => {
      const answer = await send(callOf(`{"x":"${'x'.repeat(1024 * 1024)}"}`))
      expect(await readFailure(answer)).toMatchObject({ status: 413, code: 4130 })
    })

    test.each(['[]', `[${callOf('{}')}]`, `[${callOf('{}')},${callOf('{}')}]`])(
      'the batch %s is refused',
      async (body) => {
        expect(await readError(await send(body))).toEqual([400, -32_600])
      },
    )

    test.each(['', '{', 'x', '{"jsonrpc":"2.0",}', '\u0000'])('no JSON: %j', async (body) => {
      expect(await readError(await send(body))).toEqual([400, -32_700])
    })

    test.each([
      'null',
      '"x"',
      '7',
      '{}',
      '{"jsonrpc":"1.0","id":1,"method":"ping"}',
      '{"jsonrpc":"2.0","id":1}',
    ])('no message: %s', async (body) => {
      expect(await readError(await send(body))).toEqual([400, -32_600])
    })

    test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data'])(
      '%s is refused',
      async (type) => {
        const answer = await postMcp(server, callOf('{}'), { ...agent, 'content-type': type })
        expect(await readFailure(answer)).toMatchObject({ status: 415, code: 4150 })
      },
    )

    test('members that the protocol knows, but not here', async () => {
      for (const params of [
        { name: 'list_projects', arguments: {}, task: { ttl: 1000 } },
        { name: 'list_projects', arguments: {}, _meta: { progressToken: 1 } },
        { name: 'list_projects', _meta: { 'io.modelcontextprotocol/related-task': { taskId: 'x' } } },
        { name: 7 },
        {},
      ]) {
        const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
        expect((await send(message)).status).toBe(200)
      }
    })

    test('anything at all is answered, and never with a failure of ours', async () => {
      const random = createRandom(SEED)
      for (let sent = 0; sent < BODIES; sent += 20) {
        const answers = await Promise.all(
          Array.from({ length: 20 }, () => send(random.chance(0.5) ? nastyBody(random) : nastyMessage())),
        )
        for (const { status } of answers) expect(status).toBeLessThan(500)
      }

      function nastyMessage(): string {
        const method = random.pick([
          'tools/list',
          'initialize',
          'tools/call',
          'tasks/list',
          nastyText(random),
        ])
        return JSON.stringify({ jsonrpc: '2.0', id: nastyText(random), method, params: nastyValue(random) })
      }
    })
  })

  describe('arguments', () => {
    let agent: Record<string, string>
    beforeAll(async () => {
      agent = await connect()
    })

    test.each(TOOLS.map(({ name }) => name))('%s refuses what its schema does not name', async (name) => {
      const args = { game_id: 'x', build_id: 'x', channel: 'x', uid: 'x', surprise: true }
      const refused = await callTool(server, agent, name, args)
      expect(refused).toMatchObject({ status: 200, isError: true, code: 4000, data: undefined })
      expect(refused.message).toContain('surprise')
    })

    test('of any kind give an error of the tool', async () => {
      const random = createRandom(SEED)
      const other = await connect()
      for (const { name, input } of TOOLS) {
        for (let sent = 0; sent < CALLS_PER_TOOL; sent += 1) {
          const names = Object.keys(input.properties).filter(() => random.chance(0.7))
          const args = Object.fromEntries(names.map((key) => [key, nastyValue(random)]))
          const { status, code } = await callTool(server, other, name, args)
          // A text that no column can store is refused before the tool sees it.
          expect([name, [200, 400].includes(status), (code ?? 0) < 5000]).toEqual([name, true, true])
        }
      }
    })

    test.each([
      [{ game_id: 'x'.repeat(65) }, 'game_id'],
      [{ game_id: 7 }, 'game_id'],
      [{}, 'game_id'],
      [[], 'object'],
      ['x', 'object'],
      [null, 'object'],
      [{ game_id: 'x', page: 0 }, 'page'],
      [{ game_id: 'x', page: '1' }, 'page'],
      [{ game_id: 'x', page_size: 51 }, 'page_size'],
      [{ game_id: 'x', page: 1.5 }, 'page'],
    ])('%j is refused with the name of the fault', async (args, field) => {
      const refused = await callTool(server, agent, 'list_builds', args)
      expect(refused).toMatchObject({ isError: true, code: 4000 })
      expect(refused.message).toContain(field)
    })

    test('an unknown listing is 4040, whatever its name', async () => {
      for (const game_id of ['nothing-here', crypto.randomUUID(), '../../x', '%00', "' or 1=1 --"])
        expect(await callTool(server, agent, 'list_builds', { game_id })).toMatchObject({ code: 4040 })
    })
  })
})

describe('authorization', () => {
  const AGENTS = [
    'agent of the owner',
    'agent of an admin',
    'agent of an invited admin',
    'agent of a stranger',
  ]
  const CALLERS = [
    'guest',
    'cookie session',
    'player token',
    'player key',
    'deploy key',
    ...AGENTS,
    'agent without the scope',
    'disconnected agent',
  ]

  let owner: Person
  let people: Record<string, Person>
  const tokens = new Map<string, string>()

  beforeAll(async () => {
    const [first, admin, invited, stranger] = await Promise.all([1, 2, 3, 4].map(() => signUp(server)))
    if (!first || !admin || !invited || !stranger) throw new Error('Nobody signed up')
    owner = first
    await verifyEmail(server, owner)
    people = {
      'agent of the owner': owner,
      'agent of an admin': admin,
      'agent of an invited admin': invited,
      'agent of a stranger': stranger,
    }
    for (const [kind, person] of Object.entries(people)) tokens.set(kind, await connect(person, AGENT_SCOPES))
    const key = await owner.json('POST', '/api/v1/private/player-keys', { label: 'x' })
    tokens.set('player key', (await readData<{ key: string }>(key)).key)
    tokens.set('player token', await connect(owner, ['player:read', 'player:bugs']))
    for (const scope of AGENT_SCOPES)
      tokens.set(
        `all but ${scope}`,
        await connect(
          owner,
          AGENT_SCOPES.filter((other) => other !== scope),
        ),
      )
    const { access_token, clientId } = await obtainToken(server, owner, AGENT_SCOPES.join(' '))
    tokens.set('disconnected agent', access_token)
    await owner.json('DELETE', `/api/v1/private/me/programs/${clientId}`)
  })

  async function connect(person: Person, scopes: readonly string[]): Promise<string> {
    return (await obtainToken(server, person, scopes.join(' '))).access_token
  }

  describe('every tool, every kind of caller', () => {
    test('each tool has an expectation, with its scope', () => {
      const scopes = Object.entries(TOOL_CASES).map(([name, { scope }]) => [name, scope])
      expect(TOOLS.map(({ name, scope }) => [name, scope])).toEqual(scopes)
    })

    const rows = Object.keys(TOOL_CASES).flatMap((name) =>
      (['draft', 'public'] as const).map((state) => [name, state] as const),
    )
    test.each(rows)('%s on a %s page', async (name, state) => {
      const spec = TOOL_CASES[name]
      if (!spec) throw new Error(`No expectation for ${name}`)
      const answers: unknown[] = []
      const expected: unknown[] = []
      for (const caller of CALLERS) {
        const { status, code } = await call(name, spec, caller, state)
        answers.push([caller, status, code])
        expected.push([caller, ...expectation(spec, caller, state)])
      }
      expect(answers).toEqual(expected)
    })
  })

  async function call(name: string, spec: ToolCase, kind: string, state: PageState) {
    const game = await insertGame(server, owner, { visibility: state })
    await insertCover(server, game.uid)
    await insertAdmin(server, game.uid, people['agent of an admin'] ?? owner, 'accepted')
    await insertAdmin(server, game.uid, people['agent of an invited admin'] ?? owner, 'invited')
    await Promise.all(Object.values(people).map((person) => insertLicense(server, game.uid, person)))
    const setting = { server, game, caller: people[kind] ?? owner, state }
    const args = { ...(!spec.namesNoGame && { game_id: game.uid }), ...(await spec.args?.(setting)) }
    return await callTool(server, await credentialsOf(spec, kind, game), name, args)
  }

  async function credentialsOf(
    { scope }: ToolCase,
    kind: string,
    game: GameRow,
  ): Promise<Record<string, string>> {
    if (kind === 'cookie session') return { cookie: owner.cookie, origin: server.url }
    if (kind === 'deploy key') return { ...(await issueDeployKey(server, game.uid)) }
    const token = tokens.get(kind === 'agent without the scope' ? `all but ${scope}` : kind)
    return token === undefined ? {} : bearerOf(token)
  }

  function expectation(
    { need }: ToolCase,
    kind: string,
    state: PageState,
  ): [status: number, code: number | undefined] {
    if (kind.startsWith('player')) return [403, 4033]
    if (kind === 'agent without the scope') return [200, 4031]
    if (!AGENTS.includes(kind)) return [401, 4010]
    const isMaker = kind === 'agent of the owner' || kind === 'agent of an admin'
    const sees = state === 'public' || isMaker
    const isEnough = { account: true, see: sees, edit: isMaker, own: kind === 'agent of the owner' }[need]
    return [200, isEnough ? undefined : sees ? 4030 : 4040]
  }
})

describe('clients', () => {
  const INFO = { name: 'test', version: '1' }

  beforeAll(async () => {
    person = await signUp(server)
  })

  function createTransport(authProvider: MemoryProvider): StreamableHTTPClientTransport {
    return new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), {
      authProvider,
      fetch: fetchFromAnywhere,
    })
  }

  /** Opens the page that the program sent the person to, and presses a button. Returns where that leads. */
  async function decide(asked: URL | undefined, decision: 'accept' | 'deny'): Promise<URL> {
    const sent = await person.fetch(`${asked?.pathname}${asked?.search}`)
    const page = new URL(sent.headers.get('location') ?? '', server.url)
    expect(page.pathname).toBe('/oauth/consent')
    const shown = await (await person.fetch(page.pathname + page.search)).text()
    for (const scope of AGENT_SCOPES) {
      expect(shown).toContain(SCOPE_TEXTS[scope] ?? 'no words')
      expect(shown).not.toContain(`<li>${scope}`)
    }
    const answer = await person.fetch('/oauth/consent', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ decision, oauth_query: page.search.slice(1) }),
    })
    expect(answer.status).toBe(303)
    return new URL(answer.headers.get('location') ?? '')
  }

  /** The first attempt is refused and leads to the consent page; the second has a token. */
  async function connect(provider: MemoryProvider): Promise<Client> {
    const first = createTransport(provider)
    const refused = await new Client(INFO).connect(first).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(UnauthorizedError)
    const back = await decide(provider.asked, 'accept')
    expect(back.href).toStartWith(provider.redirectUrl)
    await first.finishAuth(back.searchParams.get('code') ?? '')
    return await reconnect(provider)
  }

  async function reconnect(provider: MemoryProvider): Promise<Client> {
    const client = new Client(INFO)
    await client.connect(createTransport(provider))
    return client
  }

  describe('the official client', () => {
    let provider: MemoryProvider
    let client: Client
    beforeAll(async () => {
      provider = new MemoryProvider()
      client = await connect(provider)
      // From here on the client checks every result against the output schema of its tool.
      await client.listTools()
    })

    test('sees every tool', async () => {
      const { tools } = await client.listTools()
      expect(tools.map(({ name }) => name)).toEqual(Object.keys(TOOL_CASES))
      expect(client.getServerVersion()).toMatchObject({ name: 'playshelf' })
      expect(client.getInstructions()).toContain('list_projects')
    })

    test.each(Object.entries(TOOL_CASES))('calls %s', async (name, { args, namesNoGame }) => {
      const game = await insertGame(server, person, { visibility: 'public' })
      await Promise.all([insertCover(server, game.uid), insertLicense(server, game.uid, person)])
      const setting = { server, game, caller: person, state: 'public' } as const
      const input = { ...(!namesNoGame && { game_id: game.uid }), ...(await args?.(setting)) }
      const result = await client.callTool({ name, arguments: input })
      expect(result.isError ?? false).toBe(false)
      expect(result.structuredContent).toBeObject()
      expect(result.content).toEqual([
        { type: 'text', text: expect.stringMatching(/^[^{[].+[.]$/) },
        { type: 'text', text: JSON.stringify(result.structuredContent) },
      ])
    })

    test('refreshes its token when it has expired', async () => {
      const before = provider.tokens()
      provider.saveTokens({ ...before, access_token: 'expired', token_type: 'Bearer' })
      const renewed = await reconnect(provider)
      expect(provider.tokens()?.access_token).not.toBe('expired')
      expect((await renewed.callTool({ name: 'list_projects' })).isError ?? false).toBe(false)
    })

    test('is out when it revokes its tokens', async () => {
      const own = new MemoryProvider()
      Object.assign(own.clientMetadata, { token_endpoint_auth_method: 'none' })
      const other = await connect(own)
      const { refresh_token = '' } = own.tokens() ?? {}
      const fields = { token: refresh_token, client_id: own.clientInformation()?.client_id ?? '' }
      expect((await postForm(server, '/api/auth/oauth2/revoke', fields)).status).toBe(200)
      const failure = await other.callTool({ name: 'list_projects' }).catch((error: unknown) => error)
      expect(failure).toBeInstanceOf(UnauthorizedError)
    })

    test('gets nothing when the person denies it', async () => {
      const own = new MemoryProvider()
      await new Client(INFO).connect(createTransport(own)).catch(() => null)
      const back = await decide(own.asked, 'deny')
      expect(back.searchParams.get('error')).toBe('access_denied')
      expect(back.searchParams.has('code')).toBe(false)
    })

    test('is shown on the account page, and disconnected there', async () => {
      const own = new MemoryProvider()
      Object.assign(own.clientMetadata, { client_name: 'Release helper' })
      const other = await connect(own)
      const page = await (await person.fetch('/account/keys')).text()
      for (const text of ['Release helper', 'Delete builds, symbols and images', 'last used'])
        expect(page).toContain(text)
      const id = own.clientInformation()?.client_id ?? ''
      const form = { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' } }
      expect((await person.fetch(`/account/programs/${id}/disconnect`, form)).status).toBe(303)
      const failure = await other.callTool({ name: 'list_projects' }).catch((error: unknown) => error)
      expect(failure).toBeInstanceOf(UnauthorizedError)
    })
  })
})
