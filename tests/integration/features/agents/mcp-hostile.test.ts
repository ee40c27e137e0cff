import { beforeAll, describe, expect, test } from 'bun:test'

import { AGENT_SCOPES } from '../../../../src/domain/actor.ts'
import { TOOLS } from '../../../../src/features/agents/protocol.ts'
import { createRandom } from '../../../../src/lib/random.ts'
import { nastyBody, nastyText, nastyValue } from '../../../helpers/hostile/fuzz.ts'
import { nested, SHAPES, WIDE } from '../../../helpers/hostile/hostile-json.ts'
import { readFailure, readJson } from '../../../helpers/json.ts'
import { bearerOf, callTool, postMcp } from '../../../helpers/mcp.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { obtainToken } from '../../../helpers/sign-in/oauth.ts'
import { useStore } from '../../../helpers/store.ts'

const SEED = 20_261_116
const BODIES = 400
/** All tools together need fewer than a token has in a minute. */
const CALLS_PER_TOOL = 5

const server = useStore({ TRUST_PROXY: '1' })
let person: Person
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
      const method = random.pick(['tools/list', 'initialize', 'tools/call', 'tasks/list', nastyText(random)])
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
