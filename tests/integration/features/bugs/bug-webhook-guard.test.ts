import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { bugReporters } from '../../../../src/db/schema/bugs.ts'
import { createBugKey, fileTicket, readDeliveries, setReporter } from '../../../helpers/bugs.ts'
import { readFailure } from '../../../helpers/json.ts'
import { insertPublicGame } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { startTestServer, type TestServer } from '../../../helpers/server.ts'
import { waitFor } from '../../../helpers/wait.ts'

let server: TestServer
let owner: Person
let key: string
let port: number
let reached = 0
let listener: { stop(force?: boolean): void }
beforeAll(async () => {
  server = await startTestServer({ TRUST_PROXY: '1', ROLE: 'all' })
  owner = await signUp(server)
  key = await createBugKey(await signUp(server))
  // Any connection counts, whether or not TLS would follow.
  const tcp = Bun.listen({
    hostname: '0.0.0.0',
    port: 0,
    socket: {
      open(socket) {
        reached += 1
        socket.end()
      },
      data: () => undefined,
    },
  })
  listener = tcp
  port = tcp.port
})
afterAll(async () => {
  await server.stop()
  listener.stop(true)
})

const INSIDE: [string, string[]][] = [
  ['in all notations', ['127.0.0.1', '2130706433', '0x7f.1', '0177.0.0.1', '127.1']],
  ['as IPv6', ['[::1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[0:0:0:0:0:ffff:7f00:1]', '[::]']],
  ['by name, and of this machine', ['localhost', 'LOCALHOST', '0.0.0.0', 'localhost.', '127.0.0.1.']],
  ['of other networks', ['10.0.0.1', '169.254.169.254', '192.168.0.1', '[fd00:ec2::254]', '172.16.0.1']],
  ['behind translations', ['[64:ff9b::7f00:1]', '[2002:7f00:1::]', '[fe80::1]', '100.64.0.1', '[::7f00:1]']],
]
const urlsOf = (hosts: readonly string[]) => hosts.map((host) => `https://${host}:${port}/hook`)

describe('addresses inside', () => {
  test.each(INSIDE)('%s are refused when they are saved', async (_, hosts) => {
    const { uid } = await insertPublicGame(server, owner)
    for (const url of urlsOf(hosts)) {
      const path = `/api/v1/private/games/${uid}/bug-reporter`
      const failure = await readFailure(await owner.json('PUT', path, { webhook_urls: [url] }))
      expect({ url, ...failure }).toMatchObject({ url, status: 400, code: 4000 })
      expect(failure.data).toMatchObject({
        issues: [{ path: 'webhook_urls.0', message: expect.stringContaining('an address on the internet') }],
      })
    }
  })

  test.each(INSIDE)('%s are never called, even where they were saved before', async (_, hosts) => {
    const { uid } = await insertPublicGame(server, owner)
    await setReporter(owner, uid)
    const stored = { webhookUrls: urlsOf(hosts) }
    await server.deps.db.update(bugReporters).set(stored).where(eq(bugReporters.gameUid, uid))
    await fileTicket(server, key, uid)
    await expectUnreached(uid, hosts.length)
  })
})

async function expectUnreached(uid: string, count: number): Promise<void> {
  const deliveries = await waitFor('each was judged', async () => {
    const found = await readDeliveries(owner, uid)
    return found.length === count && found.every(({ attempts }) => attempts.length > 0) && found
  })
  for (const { url, status, error } of deliveries)
    expect({ url, status, error }).toEqual({
      url,
      status: null,
      error: expect.stringContaining('not on the internet'),
    })
  expect(reached).toBe(0)
}
