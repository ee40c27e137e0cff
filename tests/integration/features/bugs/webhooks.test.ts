import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { eq, sql } from 'drizzle-orm'

import { bugDeliveries, bugDeliveryAttempts } from '../../../../src/db/schema/bugs.ts'
import { deliverWebhook } from '../../../../src/features/bugs/webhooks/jobs.ts'
import type { Delivery } from '../../../../src/features/bugs/webhooks/model.ts'
import { queueDelivery, queueNextDelivery } from '../../../../src/features/bugs/webhooks/service.ts'
import type { JobContext } from '../../../../src/jobs/define.ts'
import {
  createBugKey,
  drawScreenshot,
  fileTicket,
  type FormFields,
  readDeliveries,
  readTicket,
  setReporter,
} from '../../../helpers/bugs.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { insertPublicGame } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { waitForLocked } from '../../../helpers/selling/selling.ts'
import { useStore } from '../../../helpers/store.ts'
import { PROMPT_MS, waitFor } from '../../../helpers/wait.ts'
import { startReceiver, type WebhookReceiver } from '../../../helpers/webhook-receiver.ts'

describe('webhooks', () => {
  const server = useStore({ TRUST_PROXY: '1', ROLE: 'all' })
  let receiver: WebhookReceiver
  let owner: Person
  let key: string
  beforeAll(async () => {
    receiver = startReceiver()
    owner = await signUp(server)
    key = await createBugKey(await signUp(server))
  })
  afterAll(async () => {
    await receiver.stop()
  })

  /** A game whose reports go to a path of its own. */
  async function newGame(values = {}) {
    const game = await insertPublicGame(server, owner, values)
    const path = `/${game.uid}`
    const settings = await setReporter(owner, game.uid, { enabled: true, webhook_urls: [receiver.url(path)] })
    return { ...game, path, signingKey: settings.signing_key }
  }

  async function receive(path: string, count = 1) {
    const find = () => receiver.received.filter((webhook) => webhook.path === path)
    return await waitFor(`${count} webhooks at ${path}`, () => (find().length >= count ? find() : null))
  }

  async function settled(game: string, isDone = ({ state }: Delivery) => state !== 'pending') {
    return await waitFor('the outcome is recorded', async () => {
      const deliveries = await readDeliveries(owner, game)
      return deliveries.length > 0 && deliveries.every(isDone) ? deliveries : null
    })
  }

  const hmac = (signingKey: string, text: string) => new Bun.CryptoHasher('sha1', signingKey).update(text)

  describe('a webhook', () => {
    test('carries the members of the law in their order, signed, and never the log', async () => {
      const game = await newGame({ name: 'Læst “Lamp”' })
      const fields: FormFields = {
        message: 'Dark\n🔦 "now"',
        client_version: '1.4.1',
        os: 'linux',
        log: 'secret log',
      }
      const ticket_uid = await fileTicket(server, key, game.uid, fields)
      const [webhook] = await receive(game.path)
      const { created_at } = await readTicket(owner, game.uid, ticket_uid)
      const unsigned = {
        event: 'bug.created',
        game_uid: game.uid,
        game_name: 'Læst “Lamp”',
        ticket_uid,
        message: 'Dark\r\n🔦 "now"',
        client_version: '1.4.1',
        os: 'linux',
        arch: null,
        build_id: null,
        has_log: true,
        created_at,
      }
      const signature = hmac(game.signingKey, JSON.stringify(unsigned)).digest('hex')
      expect(webhook?.body).toBe(JSON.stringify({ ...unsigned, signature }))
      expect(webhook?.headers.get('content-type')).toBe('application/json')
      const [delivery] = await settled(game.uid)
      expect(delivery).toMatchObject({ state: 'delivered', status: 200, error: null, next_retry_at: null })
      expect(delivery?.attempts).toHaveLength(1)
      expect(receiver.received.filter(({ path }) => path === game.path)).toHaveLength(1)
    })

    test('links to the screenshot, signed over five lines, for seven days', async () => {
      const game = await newGame()
      await fileTicket(server, key, game.uid, { message: 'x', screenshot: await drawScreenshot() })
      const [webhook] = await receive(game.path)
      const { screenshot_url } = JSON.parse(webhook?.body ?? '') as { screenshot_url: string }
      const { origin, pathname, searchParams } = new URL(screenshot_url)
      expect(origin).toBe(server.url)
      const expires = searchParams.get('Expires') ?? ''
      expect(Number(expires) * 1000 - Date.now()).toBeWithin(7 * 86_400_000 - 60_000, 7 * 86_400_000 + 1)
      const lines = `GET\n\n\n${expires}\n${pathname}`
      expect(searchParams.get('Signature')).toBe(hmac(game.signingKey, lines).digest('base64'))

      const open = async (changes: Record<string, string>, path = pathname) => {
        const query = new URLSearchParams({ ...Object.fromEntries(searchParams), ...changes })
        return await fetch(`${server.url}${path}?${query.toString()}`)
      }
      const signed = (expiry: number, signingKey = game.signingKey) => ({
        Expires: String(expiry),
        Signature: hmac(signingKey, `GET\n\n\n${expiry}\n${pathname}`).digest('base64'),
      })
      const other = await newGame()
      const now = Math.floor(Date.now() / 1000)
      expect((await open({})).status).toBe(200)
      expect((await open(signed(now + 100))).status).toBe(200)
      const refused: Record<string, string>[] = [
        signed(now - 1),
        signed(now + 100, other.signingKey),
        { Expires: String(Number(expires) + 1) },
        { Expires: `${expires}.0` },
        { Signature: searchParams.get('Signature')?.replace(/^./, (c) => (c === 'A' ? 'B' : 'A')) ?? '' },
        { Signature: '' },
      ]
      for (const changes of refused) expect((await open(changes)).status).toBe(403)
      expect((await open({}, pathname.replace(/.png$/, '.webp'))).status).toBe(403)
      expect((await open({}, pathname.replace(game.uid, other.uid))).status).toBe(403)
      await owner.json('POST', `/api/v1/private/games/${game.uid}/bug-reporter/signing-key`)
      expect((await open({})).status).toBe(403)
    })
  })

  describe('a receiver that fails', () => {
    test('is tried again within five seconds, with growing pauses, and what it missed follows', async () => {
      const game = await newGame()
      let isDown = true
      receiver.answer = (path) => new Response(null, { status: isDown && path === game.path ? 503 : 204 })
      await fileTicket(server, key, game.uid, { message: 'first' })
      await receive(game.path, 2)
      const [retried] = await settled(game.uid, ({ attempts }) => attempts.length === 2)
      const [second, first] = retried?.attempts ?? []
      expect(Date.parse(second?.at ?? '') - Date.parse(first?.at ?? '')).toBeLessThan(5000 + PROMPT_MS)
      expect(retried).toMatchObject({ state: 'pending', status: 503, error: expect.stringContaining('503') })
      const pause = Date.parse(retried?.next_retry_at ?? '') - Date.parse(second?.at ?? '')
      expect(pause).toBeGreaterThan(10_000)
      isDown = false
      await fileTicket(server, key, game.uid, { message: 'second' })
      const deliveries = await settled(game.uid)
      expect(deliveries.map(({ state }) => state)).toEqual(['delivered', 'delivered'])
    })

    test('redirects are not followed', async () => {
      const game = await newGame()
      receiver.answer = (path) =>
        path === game.path ? Response.redirect(receiver.url('/inside'), 307) : new Response('ok')
      await fileTicket(server, key, game.uid)
      const [delivery] = await settled(game.uid, ({ attempts }) => attempts.length > 0)
      expect(delivery).toMatchObject({ state: 'pending', status: 307 })
      expect(receiver.received.filter(({ path }) => path === '/inside')).toEqual([])
      receiver.answer = () => new Response('ok')
    })

    test('a removed URL gets nothing more', async () => {
      const game = await newGame()
      receiver.answer = (path) => new Response(null, { status: path === game.path ? 500 : 200 })
      await fileTicket(server, key, game.uid)
      await receive(game.path)
      await setReporter(owner, game.uid, { webhook_urls: [] })
      const [delivery] = await settled(game.uid)
      expect(delivery).toMatchObject({ state: 'cancelled', next_retry_at: null })
      const path = `/api/v1/private/games/${game.uid}/bug-reporter/deliveries/${delivery?.uid}/redeliver`
      expect(await readFailure(await owner.json('POST', path))).toMatchObject({ status: 409, code: 4090 })
      receiver.answer = () => new Response('ok')
    })
  })

  describe('sending by hand', () => {
    test('a test goes to every URL once, signed, and is not retried', async () => {
      const game = await newGame()
      const urls = [receiver.url(game.path), receiver.url(`${game.path}/broken`)]
      await setReporter(owner, game.uid, { webhook_urls: urls })
      receiver.answer = (path) => new Response(null, { status: path.endsWith('/broken') ? 500 : 200 })
      const answer = await owner.json('POST', `/api/v1/private/games/${game.uid}/bug-reporter/test-webhook`)
      expect((await readData<{ items: Delivery[] }>(answer)).items.map(({ url }) => url)).toEqual(urls)
      const deliveries = await settled(game.uid)
      expect(deliveries.map(({ state }) => state).toSorted()).toEqual(['delivered', 'failed'])
      const [webhook] = await receive(game.path)
      const { signature, ...unsigned } = JSON.parse(webhook?.body ?? '') as Record<string, unknown>
      expect(unsigned).toMatchObject({ event: 'bug.test', ticket_uid: null, game_uid: game.uid })
      expect(signature).toBe(hmac(game.signingKey, JSON.stringify(unsigned)).digest('hex'))
      receiver.answer = () => new Response('ok')
    })

    test('without a URL there is nothing to test', async () => {
      const { uid } = await insertPublicGame(server, owner)
      const answer = await owner.json('POST', `/api/v1/private/games/${uid}/bug-reporter/test-webhook`)
      expect(await readFailure(answer)).toMatchObject({ status: 400, code: 4000 })
    })

    test('a delivered one is sent again, with the current key', async () => {
      const game = await newGame()
      const ticket = await fileTicket(server, key, game.uid)
      await receive(game.path)
      const [delivery] = await settled(game.uid)
      const path = `/api/v1/private/games/${game.uid}/bug-reporter`
      const renewed = await readData<{ signing_key: string }>(await owner.json('POST', `${path}/signing-key`))
      const again = await owner.json('POST', `${path}/deliveries/${delivery?.uid}/redeliver`)
      expect(await readData<Delivery>(again)).toMatchObject({ state: 'pending', ticket_uid: ticket })
      const [, webhook] = await receive(game.path, 2)
      const { signature, ...unsigned } = JSON.parse(webhook?.body ?? '') as Record<string, unknown>
      expect(signature).toBe(hmac(renewed.signing_key, JSON.stringify(unsigned)).digest('hex'))
      const [twice] = await settled(game.uid)
      expect(twice?.attempts).toHaveLength(2)
      const other = await newGame()
      const foreign = await owner.json(
        'POST',
        `/api/v1/private/games/${other.uid}/bug-reporter/deliveries/${delivery?.uid}/redeliver`,
      )
      expect(await readFailure(foreign)).toMatchObject({ status: 404, code: 4040 })
    })
  })
})

describe('fairness', () => {
  const GAMES = 8
  const URLS = 5
  const TICKETS = 5

  const server = useStore({ TRUST_PROXY: '1', ROLE: 'all' })
  let silent: WebhookReceiver
  let quick: WebhookReceiver
  let key: string
  beforeAll(async () => {
    key = await createBugKey(await signUp(server))
    silent = startReceiver()
    silent.answer = () => new Promise<never>(() => undefined)
    quick = startReceiver()
  })
  afterAll(async () => {
    await Promise.all([silent.stop(), quick.stop()])
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
})

describe('jobs', () => {
  const HOUR_MS = 3_600_000

  const server = useStore({ TRUST_PROXY: '1' })

  test('a report that comes while a delivery ends does not wait for the next retry', async () => {
    const { db } = server.deps
    const owner = await signUp(server)
    const game = await insertPublicGame(server, owner)
    const address = { ownerUid: owner.uid, url: 'https://hooks.example/' }
    const nextTryAt = new Date(Date.now() + HOUR_MS)
    await db.insert(bugDeliveries).values({ gameUid: game.uid, ticketUid: null, url: address.url, nextTryAt })
    const isReported = Promise.withResolvers<void>()
    const ends = isReported.promise.then(() => queueNextDelivery(db, address))
    await db.transaction(async (tx) => {
      await queueDelivery(tx, address)
      isReported.resolve()
      await waitForLocked(tx)
    })
    await ends
    const jobs = await db.execute<{ is_due: boolean }>(sql`
    select run_at <= now() as is_due from graphile_worker.jobs where task_identifier = 'bugs.deliver'`)
    expect([...jobs]).toEqual([{ is_due: true }])
  })

  test('a job of an older version, which names no address, queues those of all that wait', async () => {
    const { db } = server.deps
    const owner = await signUp(server)
    const game = await insertPublicGame(server, owner)
    const nextTryAt = new Date(Date.now() + HOUR_MS)
    const waiting = { gameUid: game.uid, ticketUid: null, nextTryAt }
    const urls = ['https://one.example/', 'https://two.example/']
    await db.insert(bugDeliveries).values(urls.map((url) => ({ ...waiting, url })))
    await deliverWebhook.run?.(server.deps, { ownerUid: owner.uid }, {} as JobContext)
    const jobs = await db.execute<{ run_at: string }>(sql`
      select run_at from graphile_worker.jobs where key like ${`bugs.deliver:${owner.uid}:%`}`)
    expect(jobs.map(({ run_at }) => Date.parse(run_at))).toEqual(urls.map(() => nextTryAt.getTime()))
  })
})
