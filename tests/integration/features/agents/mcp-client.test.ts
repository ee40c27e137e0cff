import { beforeAll, describe, expect, test } from 'bun:test'

import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

import { AGENT_SCOPES } from '../../../../src/domain/actor.ts'
import { SCOPE_TEXTS } from '../../../../src/site/account/program-pages.tsx'
import { TOOL_CASES } from '../../../helpers/cases/agent-tool-cases.ts'
import { insertCover, insertGame, insertLicense } from '../../../helpers/listings.ts'
import { fetchFromAnywhere, MemoryProvider } from '../../../helpers/mcp.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { postForm } from '../../../helpers/sign-in/oauth.ts'
import { useStore } from '../../../helpers/store.ts'

const INFO = { name: 'test', version: '1' }

const server = useStore({ TRUST_PROXY: '1' })
let person: Person
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
    const page = await (await person.fetch('/account')).text()
    for (const text of ['Release helper', 'Delete builds, symbols and images', 'last used'])
      expect(page).toContain(text)
    const id = own.clientInformation()?.client_id ?? ''
    const form = { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' } }
    expect((await person.fetch(`/account/programs/${id}/disconnect`, form)).status).toBe(303)
    const failure = await other.callTool({ name: 'list_projects' }).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(UnauthorizedError)
  })
})
