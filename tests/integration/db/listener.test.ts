import { afterAll, beforeAll, expect, test } from 'bun:test'

import postgres from 'postgres'

import { Listener } from '../../../src/db/notify/listener.ts'
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

async function open(): Promise<{ listener: Listener; first: Log; second: Log }> {
  const listener = new Listener(behind(database.url, proxy))
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
  await Bun.sleep(8000)
  // One that does not prove itself would report one every second by then.
  expect(first.gaps).toBeLessThan(3)
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
