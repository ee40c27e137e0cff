import { afterAll, beforeAll, expect, test } from 'bun:test'

import { startTestServer, type TestServer } from '../../helpers/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

test('health answers with the envelope', async () => {
  const answer = await server.fetch('/health')
  expect(answer.status).toBe(200)
  expect(await answer.json()).toMatchObject({ success: true, data: { status: 'ok' } })
})
