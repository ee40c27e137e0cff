import { expect, test } from 'bun:test'

import { VERSION } from '../../../src/lib/version.ts'
import { readFailure, readJson } from '../../helpers/json.ts'
import { signUp } from '../../helpers/people.ts'
import { startTestServer, type TestServer } from '../../helpers/server.ts'
import { waitFor } from '../../helpers/wait.ts'

interface ReadyBody {
  success: boolean
  error?: { code: number; message: string }
  data: { status: string; services: { name: string; using: string; status: string; latency_ms: number }[] }
}

/** Asks until exactly these services are down: on a busy machine others may be too late for a moment. */
async function readReady(server: TestServer, down: readonly string[]) {
  return await waitFor(`down: ${down.join(', ') || 'nothing'}`, async () => {
    const answer = await server.fetch('/ready')
    const body = await readJson<ReadyBody>(answer)
    const found = body.data.services.filter(({ status }) => status === 'down').map(({ name }) => name)
    return Bun.deepEquals(found.toSorted(), [...down]) && { status: answer.status, body }
  })
}

test('health tells that the process lives, and its version', async () => {
  const server = await startTestServer()
  expect(await (await server.fetch('/health')).json()).toEqual({
    success: true,
    data: { status: 'ok', version: VERSION },
  })
  await server.stop()
})

test('ready names each configured service with its latency', async () => {
  const server = await startTestServer()
  const { status, body } = await readReady(server, [])
  const { data } = body
  expect([status, data.status]).toEqual([200, 'ready'])
  expect(data.services.map(({ name, using }) => [name, using])).toEqual([
    ['database', 'postgres'],
    ['storage', 'folder'],
    ['disk', 'folder'],
    ['clean-up', 'folder'],
    ['mail', 'folder'],
    ['search', 'postgres'],
  ])
  for (const service of data.services) expect(service.latency_ms).toBeGreaterThanOrEqual(0)
  await server.stop()
})

test('a database that is away is 503/5031 by name, and /health still answers', async () => {
  const server = await startTestServer()
  await server.deps.database.dispose()
  const { status, body } = await readReady(server, ['database'])
  expect(status).toBe(503)
  expect(body.error).toMatchObject({ code: 5031, message: 'Not available: database.' })
  expect(JSON.stringify(body)).not.toContain('127.0.0.1')
  expect((await server.fetch('/health')).status).toBe(200)
  await server.stop()
})

test('routes that need the database answer 503/5031 while it is away', async () => {
  const server = await startTestServer({ TRUST_PROXY: '1' })
  const person = await signUp(server)
  await server.deps.database.dispose()
  const answers = [
    await person.fetch('/api/v1/private/me'),
    await person.json('POST', '/api/v1/private/player-keys', { label: 'x' }),
    await server.fetch('/api/v1/private/me', { headers: { authorization: 'Bearer svc_play_unknown' } }),
    await person.fetch('/api/auth/get-session'),
    await person.json('POST', '/api/auth/sign-in/email', { email: person.email, password: person.password }),
  ]
  for (const answer of answers) expect(await readFailure(answer)).toMatchObject({ status: 503, code: 5031 })
  await server.stop()
})

test('services that only slow things down leave it ready, but degraded', async () => {
  const server = await startTestServer({
    MEILI_URL: 'http://127.0.0.1:1',
    SCANNER_URL: 'clamd://127.0.0.1:1',
    SMTP_URL: 'smtp://127.0.0.1:1',
  })
  const { status, body } = await readReady(server, ['mail', 'scanner', 'search'])
  expect([status, body.data.status]).toEqual([200, 'degraded'])
  await server.stop()
})

test('a worker answers for its health and nothing else', async () => {
  const server = await startTestServer({ ROLE: 'worker' })
  expect((await server.fetch('/health')).status).toBe(200)
  expect((await readReady(server, [])).status).toBe(200)
  for (const path of ['/docs', '/api/v1/private/me', '/api/auth/get-session']) {
    expect((await server.fetch(path)).status).toBe(404)
  }
  await server.stop()
})
