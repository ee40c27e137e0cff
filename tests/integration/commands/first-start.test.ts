import { afterAll, beforeAll, expect, test } from 'bun:test'

import { createTestDatabase } from '../../helpers/database.ts'
import { createTempDir, startChild } from '../../helpers/processes/child.ts'
import { waitFor } from '../../helpers/wait.ts'

const ADDRESS = /http\S+\/setup\?token=([\w-]+)/

let database: Awaited<ReturnType<typeof createTestDatabase>>
let folder: Awaited<ReturnType<typeof createTempDir>>
beforeAll(async () => {
  database = await createTestDatabase()
  folder = await createTempDir('first-start')
})
afterAll(async () => {
  await database.drop()
  await folder.remove()
})

async function start(env: Record<string, string> = {}) {
  return await startChild({
    env: {
      DATABASE_URL: database.url,
      DATA_DIR: folder.path,
      SECRET_KEY: 'a-secret-key-for-tests-that-is-long-enough',
      STORAGE_RESERVE: '0',
      ...env,
    },
  })
}

test('serve prints a new address at each start, which opens the page, until somebody runs the store', async () => {
  const seen = new Set<string>()
  for (let turn = 0; turn < 2; turn += 1) {
    const child = await start()
    const [address = '', token = ''] = await waitFor('the address', () => ADDRESS.exec(child.output()))
    seen.add(token)
    expect((await fetch(address)).status).toBe(200)
    expect(child.output().split(token)).toHaveLength(2)
    child.kill('SIGTERM')
    expect(await child.exited).toBe(0)
  }
  expect(seen.size).toBe(2)
  const child = await start({ OPERATORS: 'ada@example.org' })
  expect((await fetch(`${child.url}/setup?token=${[...seen][0]}`)).status).toBe(404)
  child.kill('SIGTERM')
  await child.exited
  expect(child.output()).not.toContain('token=')
})
