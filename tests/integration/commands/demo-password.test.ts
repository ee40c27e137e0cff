import { beforeAll, describe, expect, test } from 'bun:test'

import { describeDemoSignIns } from '../../../src/commands/demo.ts'
import type { Deps } from '../../../src/deps.ts'
import { loadDemoAccounts } from '../../../src/features/accounts/demo.ts'
import { readJson } from '../../helpers/json.ts'
import { randomAddress } from '../../helpers/people.ts'
import { startTestServer, type TestServer } from '../../helpers/server.ts'
import { useStore } from '../../helpers/store.ts'

const PUBLIC = 'https://games.example.org'
const PUBLISHED = 'playshelf-demo'
const OPERATOR = 'operator@demo.example'

const post = (server: TestServer, path: string, body: object) =>
  server.fetch(path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      origin: server.deps.config.baseUrl,
      'x-forwarded-for': randomAddress(),
    },
    body: JSON.stringify(body),
  })
const signIn = async (server: TestServer, password: string) =>
  (await post(server, '/api/auth/sign-in/email', { email: OPERATOR, password })).status
const printedPassword = ({ deps }: TestServer) =>
  new RegExp(`${OPERATOR}\\s+(\\S+)`).exec(describeDemoSignIns(deps))?.[1] ?? ''

test('on the own machine the demo accounts have the password of the README', async () => {
  const server = await startTestServer({ TRUST_PROXY: '1' })
  await loadDemoAccounts(server.deps)
  expect(printedPassword(server)).toBe(PUBLISHED)
  expect(await signIn(server, PUBLISHED)).toBe(200)
  await server.stop()
})

describe('on a public address', () => {
  const server = useStore({ TRUST_PROXY: '1', BASE_URL: PUBLIC })
  beforeAll(async () => {
    // A first look on the own machine, with the same data.
    const home: Deps = { ...server.deps, config: { ...server.deps.config, baseUrl: server.url } }
    expect(await loadDemoAccounts(home)).toBe(4)
  })

  test('the published password opens nothing, whoever set it', async () => {
    expect(await signIn(server, PUBLISHED)).toBe(401)
    const person = { name: 'Careless', email: 'careless@example.org', password: PUBLISHED }
    const answer = await post(server, '/api/auth/sign-up/email', person)
    expect(answer.status).toBe(400)
    expect(await readJson(answer)).toMatchObject({ data: { issues: [{ path: 'password' }] } })
  })

  test('the demo accounts get a password of the installation, which is printed', async () => {
    expect(await loadDemoAccounts(server.deps)).toBe(0)
    const password = printedPassword(server)
    expect(password).toMatch(/^[0-9a-f]{20}$/)
    expect(await signIn(server, password)).toBe(200)
  })
})

test('a server that others reach has no published password either', async () => {
  const server = await startTestServer({ TRUST_PROXY: '1', HOST: '0.0.0.0' })
  await loadDemoAccounts(server.deps)
  expect(await signIn(server, PUBLISHED)).toBe(401)
  expect(await signIn(server, printedPassword(server))).toBe(200)
  await server.stop()
})
