import { expect, test } from 'bun:test'
import { join } from 'node:path'

import { createTestDatabase } from '../helpers/database.ts'
import { behind, startTcpProxy } from '../helpers/processes/tcp-proxy.ts'

const CHILD = join(import.meta.dir, '../helpers/processes/unawaited-child.ts')

test('a statement that nobody waits for does not end the process when its connection is lost', async () => {
  const { url, drop } = await createTestDatabase()
  const { hostname: host, port } = new URL(url)
  await using proxy = await startTcpProxy({ host, port: Number(port) })
  const lost = proxy.breakWhen((bytes) => bytes.includes('pg_sleep'))
  const child = Bun.spawn(['bun', CHILD, behind(url, proxy)], { stdout: 'pipe', stderr: 'pipe' })
  await lost
  expect([await child.exited, (await child.stdout.text()).includes('CONNECTION_CLOSED')]).toEqual([0, true])
  await drop()
})

test('any other rejection that nobody handles ends the process', async () => {
  const child = Bun.spawn(['bun', CHILD, 'not an address'], { stdout: 'pipe', stderr: 'pipe' })
  expect(await child.exited).not.toBe(0)
})
