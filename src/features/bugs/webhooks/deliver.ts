import { fetchOutside } from '../../../clients/outside/fetch-outside.ts'
import { OutsideFailure } from '../../../clients/outside/outside-failure.ts'
import type { Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import { VERSION } from '../../../lib/version.ts'
import { createScreenshotUrl } from '../screenshots/service.ts'
import { openSigningKey, readReporter } from '../settings/rows.ts'
import { explainUndelivered, isLocalReceiver } from '../settings/webhook-urls.ts'
import { createChatBody, createSignedBody, isChatService, type WebhookEvent } from './payload.ts'
import * as queries from './queries.ts'
import { listDue } from './turn-queries.ts'
import { queueNextTurn } from './turns.ts'

const MINUTE = 60
const HOUR = 60 * MINUTE
/** Seconds before each retry. */
const PAUSES = [2, 15, MINUTE, 5 * MINUTE, 20 * MINUTE, HOUR, 3 * HOUR, 8 * HOUR]
const SCREENSHOT_SECONDS = 7 * 24 * HOUR
/** Short, because a turn lasts as long as its slowest receiver, and the first retry is due within 5 s. */
const TIMEOUT_MS = 4000
const ANSWER_BYTES_MAX = 64 * 1024
/** Receivers that an owner's turn calls at the same time, each with one delivery. */
const AT_ONCE = 4
/** A receiver that is back gets what it missed in portions; each delivered one requests the next. */
const HURRIED = 20
/** How long the other deliveries to a receiver wait after it did not answer. */
const SILENCE_MS = 15_000

/** Of players' reports nothing goes out to somebody who may not sign in. */
const SUSPENDED = 'Not sent: the account of the owner is suspended.'

interface Outcome {
  /** null: no answer. */
  status: number | null
  error: string | null
}

/** The owner's next turn comes after those of the owners that are waiting, so a slow receiver delays its owner alone. */
export async function deliverDue(deps: Deps, ownerUid: string): Promise<void> {
  const due = await listDue(deps.db, ownerUid, AT_ONCE)
  await Promise.all(due.map((uid) => tryDelivery(deps, uid)))
  await queueNextTurn(deps.db, ownerUid)
}

/** Sends a delivery that is due, and records the outcome. If the process dies in between, it is sent again. */
export async function tryDelivery(deps: Deps, deliveryUid: string): Promise<void> {
  const due = await queries.findDue(deps.db, deliveryUid)
  if (!due) return
  const reporter = await readReporter(deps.db, due.game.uid)
  const signingKey = openSigningKey(deps, reporter)
  const { uid, tries, url } = due.delivery
  if (signingKey === null || !reporter.webhookUrls.includes(url)) {
    await queries.updateDelivery(deps.db, uid, { state: 'cancelled', tries, nextTryAt: null })
    return
  }
  const refusal = due.isOwnerSuspended ? SUSPENDED : explainUndelivered(deps.config, url)
  if (refusal !== null) {
    await deps.db.transaction((tx) => queries.failDelivery(tx, uid, refusal))
    return
  }
  const started = performance.now()
  const outcome = await send(url, createBody(deps, due, signingKey))
  const latencyMs = Math.round(performance.now() - started)
  await deps.db.transaction(async (tx) => {
    await queries.insertAttempt(tx, { deliveryUid: uid, latencyMs, ...outcome })
    await settle(tx, due.delivery, outcome)
  })
}

async function settle(
  tx: Transaction,
  delivery: queries.DeliveryRow,
  { error, status }: Outcome,
): Promise<void> {
  const { uid, ticketUid } = delivery
  const tries = delivery.tries + 1
  const now = new Date()
  if (error === null) {
    await queries.updateDelivery(tx, uid, { state: 'delivered', tries, nextTryAt: null })
    await queries.hurryOthers(tx, delivery, now, HURRIED)
    return
  }
  if (status === null) await queries.postponeOthers(tx, delivery, new Date(now.getTime() + SILENCE_MS))
  // Someone waits for the result of a test, so it is not retried.
  const pause = ticketUid === null ? undefined : PAUSES[tries - 1]
  if (pause === undefined) {
    await queries.updateDelivery(tx, uid, { state: 'failed', tries, nextTryAt: null })
    return
  }
  const nextTryAt = new Date(now.getTime() + pause * 1000)
  await queries.updateDelivery(tx, uid, { state: 'pending', tries, nextTryAt })
}

/** Signed when it is sent, so that every try carries the current key and a fresh screenshot URL. */
function createBody({ config }: Deps, due: queries.DueDelivery, signingKey: string): string {
  const { game, ticket, screenshotKey, delivery } = due
  const event: WebhookEvent = {
    event: ticket ? 'bug.created' : 'bug.test',
    game,
    ticket: ticket ?? testTicket(delivery),
    screenshotUrl:
      screenshotKey && createScreenshotUrl(config.baseUrl, signingKey, screenshotKey, SCREENSHOT_SECONDS),
  }
  return isChatService(delivery.url) ? createChatBody(event) : createSignedBody(signingKey, event)
}

function testTicket({ createdAt }: queries.DeliveryRow) {
  const message = 'This is a test of the webhook. No player reported anything.'
  return { message, clientVersion: null, os: null, arch: null, buildId: null, hasLog: false, createdAt }
}

async function send(url: string, body: string): Promise<Outcome> {
  try {
    const { status, body: answer } = await fetchOutside(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': `Playshelf/${VERSION}` },
      body,
      timeoutMs: TIMEOUT_MS,
      maxBytes: ANSWER_BYTES_MAX,
      exempt: () => isLocalReceiver(url),
    })
    await answer?.cancel()
    const isAccepted = status >= 200 && status < 300
    return { status, error: isAccepted ? null : `The server answered with status ${status}.` }
  } catch (error) {
    if (!(error instanceof OutsideFailure)) throw error
    return { status: null, error: error.message }
  }
}
