import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { bugTickets } from '../../src/db/schema/bugs.ts'
import { createBugKey, fileTicket, readDeliveries, report, setReporter } from '../helpers/bugs.ts'
import { ageLocks } from '../helpers/jobs.ts'
import { readFailure } from '../helpers/json.ts'
import { insertPublicGame } from '../helpers/listings.ts'
import { signUp } from '../helpers/people.ts'
import { type ChildServer, startChild } from '../helpers/processes/child.ts'
import { startTcpProxy } from '../helpers/processes/tcp-proxy.ts'
import { TEST_SECRET_KEY } from '../helpers/server.ts'
import { usePerson, useStore } from '../helpers/store.ts'
import { waitFor } from '../helpers/wait.ts'
import { startReceiver } from '../helpers/webhook-receiver.ts'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)
let key: string
beforeAll(async () => {
  key = await createBugKey(await signUp(server))
})

async function startProcess(role: 'api' | 'worker'): Promise<ChildServer> {
  return await startChild({
    env: {
      ROLE: role,
      DATABASE_URL: server.databaseUrl,
      DATA_DIR: server.dataDir,
      SECRET_KEY: TEST_SECRET_KEY,
    },
  })
}

async function end(child: ChildServer, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  child.kill(signal)
  await child.exited
}

describe('the daily cap', () => {
  test('1,000 reports at once over two processes make exactly ten tickets', async () => {
    const { uid } = await insertPublicGame(server, owner)
    await setReporter(owner, uid)
    const child = await startProcess('api')
    try {
      const other = { fetch: (path: string, init?: RequestInit) => fetch(child.url + path, init) }
      const answers = await Promise.all(
        Array.from({ length: 1000 }, (_, index) => report(index % 2 === 0 ? server : other, key, uid)),
      )
      const refused = answers.filter(({ status }) => status !== 201)
      expect(refused).toHaveLength(990)
      expect(await server.deps.db.$count(bugTickets, eq(bugTickets.gameUid, uid))).toBe(10)
      const codes = await Promise.all(refused.map(async (answer) => (await readFailure(answer)).code))
      expect(new Set(codes)).toEqual(new Set([4291]))
    } finally {
      await end(child, 'SIGTERM')
    }
  })
})

describe('webhooks', () => {
  const TICKETS = 12

  test('all arrive once the receiver is back, though workers are killed in between', async () => {
    const { uid } = await insertPublicGame(server, owner)
    const receiver = startReceiver()
    // Away behind an address of its own, which nobody else can take meanwhile.
    await using proxy = await startTcpProxy({ host: '127.0.0.1', port: receiver.port })
    proxy.treat(() => 'cut')
    const url = `http://127.0.0.1:${proxy.port}/`
    await setReporter(owner, uid, { enabled: true, daily_cap: 100, webhook_urls: [url] })
    let worker = await startProcess('worker')
    const filed: string[] = []
    for (let n = 0; n < TICKETS; n += 1) {
      filed.push(await fileTicket(server, key, uid))
      if (n % 4 !== 3) continue
      await end(worker, 'SIGKILL')
      worker = await startProcess('worker')
    }
    await waitFor('the receiver was tried', async () =>
      (await readDeliveries(owner, uid)).some(({ attempts }) => attempts.length > 0),
    )
    try {
      // The first answers are lost with the worker that waited for them.
      receiver.answer = async () => {
        await Bun.sleep(60_000)
        return new Response('ok')
      }
      proxy.treat(() => 'forward')
      await waitFor('a webhook is being sent', () => receiver.received.length > 0)
      await end(worker, 'SIGKILL')
      await ageLocks(server)
      receiver.answer = () => new Response('ok')
      worker = await startProcess('worker')
      await waitFor(
        'everything was delivered',
        async () => (await readDeliveries(owner, uid)).every(({ state }) => state === 'delivered'),
        45_000,
      )
      const arrived = receiver.received.map(
        ({ body }) => (JSON.parse(body) as { ticket_uid: string }).ticket_uid,
      )
      expect([...new Set(arrived)].toSorted()).toEqual(filed.toSorted())
    } finally {
      await end(worker, 'SIGTERM')
      await receiver.stop()
    }
  })
})
