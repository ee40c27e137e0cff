import { expect, test } from 'bun:test'

import { findKeptPort } from '../../helpers/processes/child.ts'
import { startTestServer, type TestServer } from '../../helpers/server.ts'

async function withServer<Result>(
  env: Record<string, string>,
  work: (server: TestServer) => Promise<Result>,
): Promise<Result> {
  const server = await startTestServer(env)
  try {
    return await work(server)
  } finally {
    await server.stop()
  }
}

const never = () => Promise.reject(new Error('The second server started'))

test('a second server on the same port stops and says what to do', async () => {
  await withServer({}, async ({ port }) => {
    const second = withServer({ PORT: String(port) }, never)
    expect(await second.catch(String)).toContain(
      `Port ${port} is already in use, perhaps by another Playshelf. Stop that program, or set PORT to another port.`,
    )
  })
})

test('the listener of the metrics is not shared either', async () => {
  const port = String(findKeptPort())
  await withServer({ METRICS_PORT: port }, async () => {
    const second = withServer({ METRICS_PORT: port }, never)
    expect(await second.catch(String)).toContain('set METRICS_PORT to another port')
  })
})

test('REUSE_PORT=on shares the port with others that have it on', async () => {
  const env = { REUSE_PORT: 'on', PORT: String(findKeptPort()) }
  await withServer(env, async (first) => {
    await withServer(env, async (second) => expect(second.port).toBe(first.port))
    expect(await withServer({ PORT: env.PORT }, never).catch(String)).toContain('already in use')
  })
})
