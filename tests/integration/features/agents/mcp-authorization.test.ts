import { beforeAll, describe, expect, test } from 'bun:test'

import { AGENT_SCOPES } from '../../../../src/domain/actor.ts'
import { TOOLS } from '../../../../src/features/agents/protocol.ts'
import type { PageState } from '../../../helpers/authorization/authorization-cases.ts'
import { issueDeployKey } from '../../../helpers/builds.ts'
import { TOOL_CASES, type ToolCase } from '../../../helpers/cases/agent-tool-cases.ts'
import { readData } from '../../../helpers/json.ts'
import {
  type GameRow,
  insertAdmin,
  insertCover,
  insertGame,
  insertLicense,
  verifyEmail,
} from '../../../helpers/listings.ts'
import { bearerOf, callTool } from '../../../helpers/mcp.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { obtainToken } from '../../../helpers/sign-in/oauth.ts'
import { useStore } from '../../../helpers/store.ts'

const AGENTS = ['agent of the owner', 'agent of an admin', 'agent of an invited admin', 'agent of a stranger']
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

const server = useStore({ TRUST_PROXY: '1' })
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
