import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { bugDeliveries, bugDeliveryAttempts } from '../../../../src/db/schema/bugs.ts'
import { createBugKey, fileTicket, readDeliveries, setReporter } from '../../../helpers/bugs.ts'
import { insertPublicGame } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { startTestServer, type TestServer } from '../../../helpers/server.ts'
import { PROMPT_MS, waitFor } from '../../../helpers/wait.ts'
import { startReceiver, type WebhookReceiver } from '../../../helpers/webhook-receiver.ts'

const GAMES = 8
const URLS = 5
const TICKETS = 5

let server: TestServer
let silent: WebhookReceiver
let quick: WebhookReceiver
let key: string
beforeAll(async () => {
  server = await startTestServer({ TRUST_PROXY: '1', ROLE: 'all' })
  key = await createBugKey(await signUp(server))
  silent = startReceiver()
  silent.answer = () => new Promise<never>(() => undefined)
  quick = startReceiver()
})
afterAll(async () => {
  await Promise.all([silent.stop(), quick.stop()])
  await server.stop()
})

async function newGame(owner: Person, webhook_urls: string[]): Promise<string> {
  const { uid } = await insertPublicGame(server, owner)
  await setReporter(owner, uid, { enabled: true, daily_cap: 100, webhook_urls })
  return uid
}

describe('200 deliveries that wait for receivers that never answer', () => {
  beforeAll(async () => {
    const owner = await signUp(server)
    for (let game = 0; game < GAMES; game += 1) {
      const urls = Array.from({ length: URLS }, (_, index) => silent.url(`/${game}/${index}`))
      const uid = await newGame(owner, urls)
      for (let ticket = 0; ticket < TICKETS; ticket += 1) await fileTicket(server, key, uid)
    }
    await waitFor('the first ones are under way', () => silent.received.length > 0)
  })

  test('delay nothing of another owner', async () => {
    const game = await newGame(await signUp(server), [quick.url('/another')])
    const started = performance.now()
    await fileTicket(server, key, game)
    await waitFor('the report of the other owner', () =>
      quick.received.some(({ path }) => path === '/another'),
    )
    // All of them together wait for minutes.
    expect(performance.now() - started).toBeLessThan(5000 + PROMPT_MS)
  })

  test('use four connections at a time', async () => {
    const attempts = () => server.deps.db.$count(bugDeliveryAttempts)
    const before = await attempts()
    await waitFor('the next turn has ended', async () => (await attempts()) >= before + 4)
    expect(silent.received.length - (await attempts())).toBeLessThanOrEqual(4)
  })
})

describe('a receiver that never answers', () => {
  test('delays itself alone: another one of the same game gets every report', async () => {
    const game = await newGame(await signUp(server), [silent.url('/dead'), quick.url('/alive')])
    for (let ticket = 0; ticket < TICKETS; ticket += 1) await fileTicket(server, key, game)
    await waitFor(
      'the reports',
      () => quick.received.filter(({ path }) => path === '/alive').length === TICKETS,
    )
    expect(silent.received.filter(({ path }) => path === '/dead').length).toBeLessThan(TICKETS)
  })
})

describe('a delivery beyond what may wait', () => {
  test('is listed as not delivered, and the report is filed', async () => {
    const owner = await signUp(server)
    const game = await newGame(owner, [quick.url('/full')])
    const nextTryAt = new Date(Date.now() + 3_600_000)
    const waiting = { gameUid: game, ticketUid: null, url: quick.url('/full'), nextTryAt }
    await server.deps.db.insert(bugDeliveries).values(Array.from({ length: 5000 }, () => waiting))
    await fileTicket(server, key, game)
    const [delivery] = await readDeliveries(owner, game)
    expect(delivery).toMatchObject({ state: 'failed', error: expect.stringContaining('5,000') })
    await server.deps.db.delete(bugDeliveries).where(eq(bugDeliveries.gameUid, game))
  })
})
