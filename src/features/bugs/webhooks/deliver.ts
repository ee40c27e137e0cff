import { fetchOutside, OutsideFailure } from '../../../clients/outside/fetch-outside.ts'
import type { Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import { VERSION } from '../../../lib/version.ts'
import { loadReporter, openSigningKey } from '../settings/service.ts'
import { explainUndelivered, isLocalReceiver } from '../settings/webhook-urls.ts'
import { createScreenshotUrl } from '../tickets/service.ts'
import type { Address } from './jobs.ts'
import * as queries from './queries.ts'
import { queueNextDelivery } from './service.ts'

const MINUTE = 60
const HOUR = 60 * MINUTE
/** Seconds before each retry. */
const PAUSES = [2, 15, MINUTE, 5 * MINUTE, 20 * MINUTE, HOUR, 3 * HOUR, 8 * HOUR]
const SCREENSHOT_SECONDS = 7 * 24 * HOUR
/** Short, because an owner's deliveries wait for slow receivers, and the first retry is due within 5 s. */
const TIMEOUT_MS = 4000
const ANSWER_BYTES_MAX = 64 * 1024
/** When a receiver works again, each successful delivery makes up to this many waiting ones due at once. */
const EXPEDITED_MAX = 20
/** How long the other deliveries to a receiver wait after it did not answer. */
const SILENCE_MS = 15_000

/** A suspended account gets no reports of players. */
const SUSPENDED = 'Not sent: the account of the owner is suspended.'
const CHAT_PREFIXES = ['https://discord.com/api/webhooks/', 'https://discordapp.com/api/webhooks/']
const CHAT_TEXT_MAX = 200

interface Outcome {
  /** null: no answer. */
  status: number | null
  error: string | null
}

/** The queue serves owners in turn, so a slow receiver delays its owner alone. */
export async function deliverNext(deps: Deps, address: Address): Promise<void> {
  const due = await queries.findDue(deps.db, address)
  if (due) await tryDelivery(deps, due)
  await queueNextDelivery(deps.db, address)
}

/** Records the outcome. If the process dies before that, the delivery is sent again. */
async function tryDelivery(deps: Deps, due: queries.DueDelivery): Promise<void> {
  const reporter = await loadReporter(deps.db, due.game.uid)
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
    await queries.expediteOthers(tx, delivery, now, EXPEDITED_MAX)
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

/** The facts of a ticket that webhooks carry. The log is never among them. */
interface WebhookTicket {
  uid: string
  message: string
  clientVersion: string | null
  os: string | null
  arch: string | null
  buildId: string | null
  hasLog: boolean
  createdAt: Date
}

interface WebhookEvent {
  event: 'bug.created' | 'bug.test'
  game: { uid: string; name: string }
  /** A test names no ticket. */
  ticket: WebhookTicket | Omit<WebhookTicket, 'uid'>
  screenshotUrl: string | null
}

export function isChatService(url: string): boolean {
  return CHAT_PREFIXES.some((prefix) => url.startsWith(prefix))
}

/** Compact JSON whose last member signs the JSON as it is without it. */
function createSignedBody(signingKey: string, { event, game, ticket, screenshotUrl }: WebhookEvent) {
  const unsigned = {
    event,
    game_uid: game.uid,
    game_name: game.name,
    ticket_uid: 'uid' in ticket ? ticket.uid : null,
    message: ticket.message,
    client_version: ticket.clientVersion,
    os: ticket.os,
    arch: ticket.arch,
    build_id: ticket.buildId,
    has_log: ticket.hasLog,
    ...(screenshotUrl !== null && { screenshot_url: screenshotUrl }),
    created_at: ticket.createdAt.toISOString(),
  }
  const signature = new Bun.CryptoHasher('sha1', signingKey).update(JSON.stringify(unsigned)).digest('hex')
  return JSON.stringify({ ...unsigned, signature })
}

/** An embed as chat services show it. Texts of players cannot mention anyone or format anything. */
export function createChatBody({ event, game, ticket, screenshotUrl }: WebhookEvent): string {
  const fields = [
    { name: 'Game', value: escapeChat(game.name) },
    { name: 'Ticket', value: 'uid' in ticket ? ticket.uid : 'none, this is a test' },
    { name: 'Version', value: escapeChat(ticket.clientVersion ?? 'not sent') },
    { name: 'Log', value: ticket.hasLog ? 'yes' : 'no' },
    { name: 'Screenshot', value: screenshotUrl === null ? 'no' : 'yes' },
  ]
  const title = event === 'bug.test' ? 'Test of the bug reporter' : 'New bug report'
  return JSON.stringify({
    embeds: [
      {
        title,
        timestamp: ticket.createdAt.toISOString(),
        fields: fields.map((field) => ({ ...field, inline: true })),
      },
    ],
    allowed_mentions: { parse: [] },
  })
}

function escapeChat(text: string): string {
  return text
    .slice(0, CHAT_TEXT_MAX)
    .toWellFormed()
    .replace(/[\\*_~`|<>[\]()#@:]/g, String.raw`\$&`)
}
