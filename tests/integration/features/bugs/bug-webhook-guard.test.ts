import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { createBugKey, fileTicket, readDeliveries, setReporter } from '../../../helpers/bugs.ts'
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

describe('addresses inside are saved as any other, and never called', () => {
  test.each([
    ['in all notations', ['127.0.0.1', '2130706433', '0x7f.1', '0177.0.0.1', '127.1']],
    ['as IPv6', ['[::1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[0:0:0:0:0:ffff:7f00:1]', '[::]']],
    ['by name, and of this machine', ['localhost', 'LOCALHOST', '0.0.0.0', '0', '127.0.0.1.']],
    ['of other networks', ['10.0.0.1', '169.254.169.254', '192.168.0.1', '[fd00:ec2::254]', '172.16.0.1']],
    [
      'behind translations',
      ['[64:ff9b::7f00:1]', '[2002:7f00:1::]', '[fe80::1]', '100.64.0.1', '[::7f00:1]'],
    ],
  ])('%s', async (_, hosts) => {
    const { uid } = await insertPublicGame(server, owner)
    const urls = hosts.map((host) => `https://${host}:${port}/hook`)
    await setReporter(owner, uid, { enabled: true, webhook_urls: urls })
    await fileTicket(server, key, uid)
    const deliveries = await waitFor('each was tried', async () => {
      const found = await readDeliveries(owner, uid)
      return found.length === hosts.length && found.every(({ attempts }) => attempts.length > 0) && found
    })
    for (const { url, status, error } of deliveries)
      expect({ url, status, error }).toEqual({
        url,
        status: null,
        error: 'The address does not lie on the internet.',
      })
    expect(reached).toBe(0)
  })
})
