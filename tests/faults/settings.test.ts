import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { insertPublicGame } from '../helpers/listings.ts'
import { signUpOperator } from '../helpers/operators.ts'
import type { Person } from '../helpers/people.ts'
import { type ChildServer, findKeptPort, startChild } from '../helpers/processes/child.ts'
import { startTestServer, TEST_SECRET_KEY, type TestServer } from '../helpers/server.ts'
import { PROMPT_MS, waitFor } from '../helpers/wait.ts'

const CHANGES = 6
const VISITORS = 4
const PATHS = ['/', '/search', '/rules', '/collections', '/no-such-page']

let server: TestServer
let child: ChildServer
let port: number
let operator: Person
beforeAll(async () => {
  server = await startTestServer({ TRUST_PROXY: '1' })
  operator = await signUpOperator(server)
  await insertPublicGame(server, operator)
  port = findKeptPort()
  child = await startChild({
    env: {
      DATABASE_URL: server.databaseUrl,
      DATA_DIR: server.dataDir,
      SECRET_KEY: TEST_SECRET_KEY,
      PORT: String(port),
      BASE_URL: server.url,
      TRUST_PROXY: '1',
      STORAGE_RESERVE: '0',
      ROLE: 'api',
      LOG_LEVEL: 'info',
    },
  })
})
afterAll(async () => {
  child.kill('SIGTERM')
  await child.exited
  await server.stop()
})

/** Which of the names a page shows in its title. */
async function readNumber(url: string, path: string): Promise<number> {
  const text = await (await fetch(url + path, { headers: { accept: 'text/html' } })).text()
  return Number(/ · Store (\d+)<\/title>/.exec(text)?.[1] ?? 0)
}

/** Asks for page after page, as those do who share the cached ones. */
async function visit(url: string, isOpen: () => boolean): Promise<string[]> {
  const faults: string[] = []
  let seen = 0
  for (let turn = 0; isOpen(); turn += 1) {
    const path = PATHS[turn % PATHS.length] ?? '/'
    const number = await readNumber(url, path)
    if (number < seen) faults.push(`${path} shows Store ${number} after Store ${seen}`)
    seen = Math.max(seen, number)
  }
  return faults
}

describe('a change of the settings, while visitors keep two processes busy', () => {
  test('is on the pages of both within a second, and no page shows the former ones again', async () => {
    const urls = [server.url, `http://127.0.0.1:${port}`]
    let isOpen = true
    const visitors = urls.flatMap((url) => Array.from({ length: VISITORS }, () => visit(url, () => isOpen)))
    const delays: number[] = []
    try {
      for (let number = 1; number <= CHANGES; number += 1) {
        const change = { name: `Store ${number}` }
        expect((await operator.json('PATCH', '/api/v1/operator/settings', change)).status).toBe(200)
        const changedAt = performance.now()
        await Promise.all(
          urls.map((url) =>
            waitFor(change.name, async () => (await readNumber(url, '/')) === number || null),
          ),
        )
        delays.push(performance.now() - changedAt)
      }
    } finally {
      isOpen = false
    }
    expect((await Promise.all(visitors)).flat()).toEqual([])
    // A starved machine may delay one of them; a lost notice would delay all of them by a minute.
    expect(Math.min(...delays)).toBeLessThan(PROMPT_MS)
  })
})
