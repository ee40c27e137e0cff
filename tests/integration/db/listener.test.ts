import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import postgres from 'postgres'

import { openDatabase } from '../../../src/db/client.ts'
import { Listener, type ListenTimes } from '../../../src/db/notify/listener.ts'
import { notify } from '../../../src/db/notify/notify.ts'
import { createEmptyDatabase, type TestDatabase } from '../../helpers/database.ts'
import { behind, startTcpProxy, type TcpProxy } from '../../helpers/processes/tcp-proxy.ts'
import { waitFor } from '../../helpers/wait.ts'

let database: TestDatabase
let proxy: TcpProxy
let sender: postgres.Sql
beforeAll(async () => {
  database = await createEmptyDatabase()
  const { hostname, port } = new URL(database.url)
  proxy = await startTcpProxy({ host: hostname, port: Number(port || 5432) })
  sender = postgres(database.url, { max: 1 })
})
afterAll(async () => {
  await sender.end()
  await proxy[Symbol.asyncDispose]()
  await database.drop()
})

interface Log {
  changes: string[]
  gaps: number
}

/** A fifth of what the program waits, except for the writers. */
const TIMES: ListenTimes = { beatMs: 200, trustMs: 1000, catchUpMs: 2000 }

async function open(): Promise<{ listener: Listener; first: Log; second: Log }> {
  const listener = new Listener(behind(database.url, proxy), undefined, TIMES)
  const subscribe = async (channel: string): Promise<Log> => {
    const log: Log = { changes: [], gaps: 0 }
    const onChange = (payload: string) => void log.changes.push(payload)
    await listener.listen({ channel, onChange, onGap: () => void (log.gaps += 1) })
    return log
  }
  return { listener, first: await subscribe('Fir"st'), second: await subscribe('second') }
}

test('each channel gets its own notifications, in order', async () => {
  const { listener, first, second } = await open()
  for (const payload of ['1', '2', '3']) await sender.notify('Fir"st', payload)
  await sender.notify('second', 'end')
  await waitFor('the last one has come', () => second.changes.length === 1)
  expect(first.changes).toEqual(['1', '2', '3'])
  await listener.dispose()
})

test('a connection that works reports no gaps after the first', async () => {
  const { listener, first } = await open()
  await Bun.sleep(2 * TIMES.trustMs + 1000)
  // One that does not prove itself would have reported ten by then.
  expect(first.gaps).toBeLessThan(5)
  await listener.dispose()
})

test.each(['freeze', 'cut'] as const)(
  'after %s gaps are reported until it works again',
  async (treatment) => {
    const { listener, first, second } = await open()
    proxy.treat(() => treatment)
    const [ofFirst, ofSecond] = [first.gaps, second.gaps]
    await waitFor('two gaps', () => first.gaps > ofFirst + 1 && second.gaps > ofSecond + 1)
    proxy.treat(() => 'forward')
    await waitFor(
      'a notification comes',
      async () => {
        await sender.notify('second', 'again')
        return second.changes.includes('again')
      },
      30_000,
    )
    expect(first.changes).toEqual([])
    await listener.dispose()
  },
)

test('who subscribes while the connection is lost takes nothing from the others', async () => {
  const { listener, first } = await open()
  const isSubscribed = Promise.withResolvers<void>()
  const late = { channel: 'late', onChange: () => undefined, onGap: () => undefined }
  // The moment of the loss: the connection is opened again by whoever comes first.
  const onGap = () => void listener.listen(late).then(isSubscribed.resolve, isSubscribed.reject)
  await listener.listen({ channel: 'third', onChange: () => undefined, onGap: once(onGap) })
  await sender`select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'playshelf listen' and datname = current_database()`
  await isSubscribed.promise
  expect(listener.isTrusted()).toBe(true)
  await sender.notify('Fir"st', 'heard')
  await waitFor('it is heard', () => first.changes.length > 0)
  expect(first.changes).toEqual(['heard'])
  await listener.dispose()

  /** Not for the gap that each subscription begins with. */
  function once(run: () => void): () => void {
    let gaps = 0
    return () => {
      gaps += 1
      if (gaps === 2) run()
    }
  }
})

describe('a transaction that notifies', () => {
  test('returns after its own process has heard of it', async () => {
    const handle = openDatabase(database.url)
    const heard: string[] = []
    let gaps = 0
    await handle.listen(
      'changed',
      (payload) => void heard.push(payload),
      () => void (gaps += 1),
    )
    /** A busy machine may make Postgres answer too late: then everything counts as missed, which is as good. */
    const change = async (payload: string, isHeard: () => boolean) => {
      const before = gaps
      await handle.db.transaction((tx) => notify(tx, 'changed', payload))
      expect(isHeard() || gaps > before).toBe(true)
    }
    for (let round = 0; round < 100; round += 1) await change(`${round}`, () => heard.at(-1) === `${round}`)
    await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const payload = `together ${index}`
        await change(payload, () => heard.includes(payload))
      }),
    )
    expect(gaps).toBeLessThan(10)
    await waitFor('all of them', () => new Set(heard).size === 120)
    await handle.dispose()
  })

  test('returns without it when nothing is heard, and everything counts as missed', async () => {
    const handle = openDatabase(behind(database.url, proxy))
    let gaps = 0
    await handle.listen(
      'changed',
      () => undefined,
      () => void (gaps += 1),
    )
    proxy.treat((hello) => (hello.includes('playshelf listen') ? 'freeze' : 'forward'))
    const before = gaps
    await handle.db.transaction((tx) => notify(tx, 'changed', 'unheard'))
    expect(gaps).toBeGreaterThan(before)
    proxy.treat(() => 'forward')
    await handle.dispose()
  })
})
