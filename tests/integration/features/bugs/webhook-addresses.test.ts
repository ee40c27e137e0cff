import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { bugReporters } from '../../../../src/db/schema/bugs.ts'
import { deliverNext } from '../../../../src/features/bugs/webhooks/deliver.ts'
import { createBugKey, fileTicket, readDeliveries, setReporter } from '../../../helpers/bugs.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { insertGame, insertPublicGame, verifyEmail } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { startTestServer, type TestServer } from '../../../helpers/server.ts'
import { useStore } from '../../../helpers/store.ts'
import { waitFor } from '../../../helpers/wait.ts'
import { startReceiver, type WebhookReceiver } from '../../../helpers/webhook-receiver.ts'

describe('guarded addresses', () => {
  const server = useStore({ TRUST_PROXY: '1', ROLE: 'all' })
  let owner: Person
  let key: string
  let port: number
  let reached = 0
  let listener: { stop(force?: boolean): void }
  beforeAll(async () => {
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
    listener.stop(true)
  })

  const INSIDE: [string, string[]][] = [
    ['in all notations', ['127.0.0.1', '2130706433', '0x7f.1', '0177.0.0.1', '127.1']],
    ['as IPv6', ['[::1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[0:0:0:0:0:ffff:7f00:1]', '[::]']],
    ['by name, and of this machine', ['localhost', 'LOCALHOST', '0.0.0.0', 'localhost.', '127.0.0.1.']],
    ['of other networks', ['10.0.0.1', '169.254.169.254', '192.168.0.1', '[fd00:ec2::254]', '172.16.0.1']],
    [
      'behind translations',
      ['[64:ff9b::7f00:1]', '[2002:7f00:1::]', '[fe80::1]', '100.64.0.1', '[::7f00:1]'],
    ],
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
          issues: [
            { path: 'webhook_urls.0', message: expect.stringContaining('an address on the internet') },
          ],
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
})

describe('local addresses', () => {
  const OFF = 'Not delivered: local addresses are off.'
  const pathOf = (uid: string) => `/api/v1/private/games/${uid}/bug-reporter`

  /** Jobs are not started: what is sent at once, or refused, is decided with the request. */
  async function startAt(env: Record<string, string>) {
    const server = await startTestServer({ TRUST_PROXY: '1', ...env })
    const owner = await signUp(server)
    const key = await createBugKey(await signUp(server))
    return { server, owner, key }
  }

  describe('with LOCAL_WEBHOOKS=off', () => {
    let server: TestServer
    let owner: Person
    let key: string
    let receiver: WebhookReceiver
    beforeAll(async () => {
      receiver = startReceiver()
      ;({ server, owner, key } = await startAt({ LOCAL_WEBHOOKS: 'off' }))
    })
    afterAll(async () => {
      await server.stop()
      await receiver.stop()
    })

    test('a local address is saved, the answer says that it is not delivered, and can be written back', async () => {
      const { uid } = await insertPublicGame(server, owner)
      const urls = ['https://example.org/bugs', receiver.url('/x')]
      const saved = await setReporter(owner, uid, { enabled: true, webhook_urls: urls })
      expect(saved).toMatchObject({
        webhook_urls: urls,
        webhooks: [
          { url: urls[0], delivers: true, reason: null },
          { url: urls[1], delivers: false, reason: OFF },
        ],
      })
      const read = await readData<object>(await owner.fetch(pathOf(uid)))
      expect(await readData<object>(await owner.json('PUT', pathOf(uid), read))).toEqual(read)
      for (const change of [{ webhooks: [] }, { signing_key: 'mine' }]) {
        const failure = await readFailure(await owner.json('PUT', pathOf(uid), { ...read, ...change }))
        expect(failure).toMatchObject({ status: 400, code: 4000 })
      }
    })

    test('reports, tests and redeliveries are listed as not delivered, and nothing is sent', async () => {
      const { uid } = await insertPublicGame(server, owner)
      await setReporter(owner, uid, { enabled: true, webhook_urls: [receiver.url('/y')] })
      await fileTicket(server, key, uid)
      await owner.json('POST', `${pathOf(uid)}/test-webhook`)
      const listed = await readDeliveries(owner, uid)
      expect(listed).toHaveLength(2)
      for (const delivery of listed)
        expect(delivery).toMatchObject({ state: 'failed', error: OFF, status: null, next_retry_at: null })
      const again = await owner.json('POST', `${pathOf(uid)}/deliveries/${listed[0]?.uid}/redeliver`)
      expect(await readData<object>(again)).toMatchObject({ state: 'failed', error: OFF })
      expect(receiver.received).toEqual([])
    })

    test('the studio says it beside the address', async () => {
      const { uid } = await insertPublicGame(server, owner)
      await setReporter(owner, uid, { enabled: true, webhook_urls: [receiver.url('/studio')] })
      const page = await (await owner.fetch(`/studio/${uid}/bugs/settings`)).text()
      expect(page).toContain(OFF)
    })
  })

  describe('with LOCAL_WEBHOOKS=on', () => {
    let server: TestServer
    let owner: Person
    let key: string
    let service: WebhookReceiver
    let receiver: WebhookReceiver
    beforeAll(async () => {
      service = startReceiver()
      receiver = startReceiver()
      ;({ server, owner, key } = await startAt({ EXTSTORE_API_URL: service.url('') }))
    })
    afterAll(async () => {
      await server.stop()
      await Promise.all([service.stop(), receiver.stop()])
    })

    test('the ports of the store and of its services are not called, whatever the path', async () => {
      const { uid } = await insertPublicGame(server, owner)
      const urls = [`http://127.0.0.1:${server.port}/api/v1/x`, service.url('/?a=b'), receiver.url('/z')]
      const saved = await setReporter(owner, uid, { enabled: true, webhook_urls: urls })
      expect(saved.webhooks.map(({ delivers }) => delivers)).toEqual([false, false, true])
      expect(saved.webhooks[1]?.reason).toContain(String(service.port))
      await fileTicket(server, key, uid)
      await owner.json('POST', `${pathOf(uid)}/test-webhook`)
      const states = new Map((await readDeliveries(owner, uid)).map(({ url, state }) => [url, state]))
      expect(urls.map((url) => states.get(url))).toEqual(['failed', 'failed', 'pending'])
      expect(service.received).toEqual([])
    })

    test('an address that was allowed when the report came is judged again when it is sent', async () => {
      const { uid } = await insertPublicGame(server, owner)
      await setReporter(owner, uid, { enabled: true, webhook_urls: [receiver.url('/later')] })
      await fileTicket(server, key, uid)
      const config = { ...server.deps.config, localWebhooks: false }
      await deliverNext({ ...server.deps, config }, { ownerUid: owner.uid, url: receiver.url('/later') })
      const [delivery] = await readDeliveries(owner, uid)
      expect(delivery).toMatchObject({ state: 'failed', error: OFF })
      expect(receiver.received.filter(({ path }) => path === '/later')).toEqual([])
    })
  })

  describe('setting webhooks', () => {
    const server = useStore({ TRUST_PROXY: '1' })

    test('needs the confirmed e-mail address of the owner; the other settings do not', async () => {
      const owner = await signUp(server)
      const { uid } = await insertGame(server, owner)
      const webhook_urls = ['https://example.org/bugs']
      const refused = await readFailure(await owner.json('PUT', pathOf(uid), { webhook_urls }))
      expect(refused).toMatchObject({ status: 403, code: 4096 })
      expect(await setReporter(owner, uid, { enabled: true })).toMatchObject({ webhook_urls: [] })
      await verifyEmail(server, owner)
      expect(await setReporter(owner, uid, { webhook_urls })).toMatchObject({ webhook_urls })
    })
  })
})
