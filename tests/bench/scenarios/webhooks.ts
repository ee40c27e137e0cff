import { join } from 'node:path'

import { openDatabase } from '../../../src/db/client.ts'
import { findKeptPort } from '../../helpers/processes/child.ts'
import { DOUBLE_KEY, DOUBLE_SECRET } from '../../helpers/stripe-double/double.ts'
import { waitWhileProgressing } from '../../helpers/wait.ts'
import { ROOT, startServerProcess } from '../environment.ts'
import { judge, type Latency, type Line, median, summarise } from '../report/line.ts'
import { inventSearches, prepareCatalog } from '../search-data.ts'
import { countSettled, insertOrders, type SoldOrder, startSender } from '../webhooks.ts'
import type { Scenario } from './scenario.ts'

const LISTINGS = 2500
/** Of each round. Each order is paid and given back in part, which are five events. */
const ORDERS = 2000
const SECONDS = 60
/** Each with a quiet time before, so that other load on the machine affects both. */
const ROUNDS = 3
/** Pages and events at the same pace, before anything is measured. */
const WARM_UP_SECONDS = 12
const WARM_UP_ORDERS = (ORDERS * WARM_UP_SECONDS) / SECONDS
const QUIET_SECONDS = 30
const VISITORS = 10
/** People look at what they got before they ask again. */
const PAUSE_MS = 100
const SLOWER = 2
const ANSWERED_MS = 1000
const STANDSTILL_MS = 60_000
const API = '/api/v1/public'

export const webhooks: Scenario = {
  name: 'webhooks',
  about: `${(ORDERS * 5).toLocaleString('en')} signed events of Stripe in ${SECONDS} s while ${VISITORS} visitors browse`,
  async run(environment) {
    const port = findKeptPort()
    const settings = await prepareCatalog(environment, LISTINGS, {
      ROLE: 'all',
      STRIPE_SECRET_KEY: DOUBLE_KEY,
      STRIPE_WEBHOOK_SECRET: DOUBLE_SECRET,
      STRIPE_API_URL: `http://127.0.0.1:${port}`,
    })
    const database = openDatabase(settings['DATABASE_URL'] ?? '', { maxConnections: 2 })
    await using cleanup = new AsyncDisposableStack()
    cleanup.defer(() => database.dispose())
    const orders = await insertOrders(database.db, WARM_UP_ORDERS + ROUNDS * ORDERS)
    const server = await startServerProcess({
      command: [process.execPath, join(ROOT, 'src/main.ts'), 'serve'],
      path: '/health',
      env: settings,
    })
    cleanup.defer(() => server.stop())
    const parts = [orders.slice(0, WARM_UP_ORDERS), ...listRounds(orders.slice(WARM_UP_ORDERS))]
    const sender = await startSender({ port, parts, ordersPerSecond: ORDERS / SECONDS, storeUrl: server.url })
    cleanup.defer(() => sender.stop())
    const paths = (await inventSearches(server.url, 200)).map((path) => path.slice(API.length))
    const send = async () => {
      const end = new AbortController()
      const sending = sender.send().finally(() => end.abort())
      const [pages, sent] = await Promise.all([browse(server.url, paths, end.signal), sending])
      if (Object.keys(sent.failures).length > 0)
        throw new Error(`Events were not taken: ${JSON.stringify(sent.failures).slice(0, 500)}`)
      return { pages, sent }
    }
    await send()
    const rounds: Round[] = []
    while (rounds.length < ROUNDS) {
      const quiet = await browse(server.url, paths, AbortSignal.timeout(QUIET_SECONDS * 1000))
      const { pages, sent } = await send()
      rounds.push({ quiet: summarise(quiet), busy: summarise(pages), eventTimes: sent.times })
    }
    const started = performance.now()
    const count = () => countSettled(database.db)
    await waitWhileProgressing(
      'all orders settle',
      async () => (await count()) === orders.length,
      count,
      STANDSTILL_MS,
    )
    return toLines(rounds, (performance.now() - started) / 1000)
  },
}

interface Round {
  quiet: Latency
  busy: Latency
  eventTimes: number[]
}

const listRounds = (orders: readonly SoldOrder[]) =>
  Array.from({ length: ROUNDS }, (_, round) => orders.slice(round * ORDERS, (round + 1) * ORDERS))

/** Returns the milliseconds of every page. */
async function browse(url: string, paths: readonly string[], end: AbortSignal): Promise<number[]> {
  const times: number[] = []
  const visitor = async (number: number) => {
    for (let seen = number; !end.aborted; seen += VISITORS) {
      const started = performance.now()
      const path = seen % 3 === 0 ? '/' : (paths[seen % paths.length] ?? '/')
      const headers = { 'x-forwarded-for': `10.6.${(seen >> 4) & 255}.${number}` }
      const answer = await fetch(url + path, { headers })
      await answer.arrayBuffer()
      if (answer.status !== 200)
        throw new Error(`${path} answered ${answer.status} after ${times.length} pages`)
      times.push(performance.now() - started)
      await Bun.sleep(PAUSE_MS)
    }
  }
  await Promise.all(Array.from({ length: VISITORS }, (_, number) => visitor(number)))
  return times
}

function toLines(rounds: readonly Round[], settledSeconds: number): Line[] {
  const answered = summarise(rounds.flatMap(({ eventTimes }) => eventTimes))
  const lines = [
    {
      measure: 'p95 of pages, against the quiet time',
      unit: 'ms',
      subject: median(rounds.map(({ busy }) => busy.p95)),
      baseline: median(rounds.map(({ quiet }) => quiet.p95)),
      ratio: median(rounds.map(({ busy, quiet }) => busy.p95 / quiet.p95)),
      target: { of: 'ratio', must: 'stay below', value: SLOWER } as const,
      details: rounds.map(({ quiet, busy }) => ({ quiet, busy })),
    },
    {
      measure: 'p95 of an event',
      unit: 'ms',
      subject: answered.p95,
      baseline: null,
      target: { of: 'subject', must: 'stay below', value: ANSWERED_MS } as const,
      details: answered,
    },
    {
      measure: 'until all orders are settled, after the last event',
      unit: 's',
      subject: settledSeconds,
      baseline: null,
    },
  ]
  return lines.map((line) => judge({ scenario: 'webhooks', ...line }))
}
