import { listen } from '../ext-store-double/listen.ts'
import { answerApi, type ApiContext, requireAccount } from './api.ts'
import { deliver } from './deliver.ts'
import { readForm } from './form.ts'
import { closeDispute, createRefund, failRefund, openDispute, paySession, requireSession } from './money.ts'
import {
  type Account,
  type Books,
  createBooks,
  createId,
  nowSeconds,
  Refusal,
  type Session,
  type StripeEvent,
} from './state.ts'

export const DOUBLE_KEY = 'sk_test_double'
export const DOUBLE_SECRET = 'whsec_double'

/** Environment variables that point a server at the double. */
export function stripeEnv(origin: string): Record<string, string> {
  return { STRIPE_SECRET_KEY: DOUBLE_KEY, STRIPE_WEBHOOK_SECRET: DOUBLE_SECRET, STRIPE_API_URL: origin }
}

/** `lost` before a request is carried out: it never arrives. */
type Watcher = (call: string, when: 'before' | 'after') => Promise<void> | void | 'lost'

export interface StripeDouble {
  origin: string
  env: Record<string, string>
  books: Books
  /** `METHOD path`, in order. */
  requests: string[]
  /** Events go to these stores from now on. */
  sendTo(...stores: string[]): void
  /** While events are held they are only collected. */
  hold(isHeld: boolean): void
  /** Sends an event, again or late. */
  send(event: StripeEvent): Promise<void>
  fail(point: string, fault: Fault, times?: number): void
  /** Called before and after each request is carried out. The answer is sent only after it. */
  watch(onCall: Watcher | null): void
  /** Replaces the sending of events. */
  route(deliverEvent: ((event: StripeEvent) => void) | null): void
  heal(): void
  /** What the buyer's browser would do. */
  pay(sessionUrl: string): void
  /** In Stripe's dashboard; the whole rest unless told. */
  refund(paymentId: string, cents?: number): void
  failRefund(paymentId: string): void
  openDispute(paymentId: string): void
  closeDispute(paymentId: string, status: 'won' | 'lost'): void
  changeAccount(id: string, change: Partial<Account>): void
  stop(): Promise<void>
}

interface Replay {
  fingerprint: string
  answer: Promise<{ status: number; text: string }>
}

/** Starts a double of Stripe's API that keeps books and speaks its wire format. */
export async function startStripeDouble({ port = 0, books = createBooks() } = {}): Promise<StripeDouble> {
  const faults = createFaults()
  const replays = new Map<string, Replay>()
  const requests: string[] = []
  let urls: string[] = []
  let isHeld = false
  let isStopped = false
  let onCall: Watcher | null = null
  let route: ((event: StripeEvent) => void) | null = null

  function emit(type: string, object: object): void {
    const event: StripeEvent = {
      id: createId('evt'),
      object: 'event',
      type,
      created: nowSeconds(),
      livemode: false,
      api_version: '2026-10-28.endive',
      data: { object: structuredClone(object) },
    }
    books.events.push(event)
    if (route) route(event)
    else if (!isHeld) void send(event)
  }

  async function send(event: StripeEvent): Promise<void> {
    await Promise.all(urls.map((url) => deliver(url, event, DOUBLE_SECRET, () => !isStopped)))
  }

  async function handle(request: Request) {
    const url = new URL(request.url)
    if (!url.pathname.startsWith('/v1/')) return showPageOf(request, url)
    const call = `${request.method} ${url.pathname.slice('/v1/'.length)}`
    requests.push(call)
    const fault = faults.take(call)
    if (fault === 'hang' || fault === 'reset') return fault
    if (fault === '500') return refuse(new Refusal(500, 'api_error', 'Something went wrong on our end.'))
    if (fault === '401') return refuse(new Refusal(401, 'invalid_request_error', 'Invalid API Key provided'))
    if ((await onCall?.(call, 'before')) === 'lost') return 'reset' as const
    const { status, text } = await answerOnce(request, url)
    await onCall?.(call, 'after')
    if (fault === 'slow') await Bun.sleep(SLOW_MS)
    if (fault === 'lost') return 'reset' as const
    return new Response(text, { status, headers: { 'content-type': 'application/json' } })
  }

  /** A key that was seen before answers the same; other parameters with it are an error. */
  async function answerOnce(request: Request, url: URL): Promise<{ status: number; text: string }> {
    if (request.headers.get('authorization') !== `Bearer ${DOUBLE_KEY}`)
      return describe(new Refusal(401, 'invalid_request_error', 'Invalid API Key provided'))
    const body = await request.text()
    const key = request.headers.get('idempotency-key')
    if (request.method !== 'POST' || key === null) return answer(request.method, url, body)
    const fingerprint = `${url.pathname} ${body}`
    const known = replays.get(key)
    if (!known) {
      const made = Promise.resolve(answer(request.method, url, body))
      replays.set(key, { fingerprint, answer: made })
      return await made
    }
    if (known.fingerprint === fingerprint) return await known.answer
    const message = 'Keys for idempotent requests can only be used with the same parameters.'
    return describe(new Refusal(400, 'idempotency_error', message))
  }

  function answer(method: string, url: URL, body: string): { status: number; text: string } {
    const path = url.pathname.slice('/v1/'.length)
    try {
      const call = { method, path, form: readForm(body), query: url.searchParams }
      return { status: 200, text: JSON.stringify(answerApi(context, call)) }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return describe(error)
    }
  }

  /** Refuses addresses that the double did not create. */
  function showPageOf(request: Request, url: URL): Response {
    try {
      return showPage(request, url)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return refuse(error)
    }
  }

  function showPage(request: Request, url: URL): Response {
    const [, kind = '', id = '', act = ''] = url.pathname.split('/')
    if (kind === 'onboarding') {
      const back = url.searchParams.get('return') ?? ''
      if (request.method === 'GET') return onboardingPage(id, back)
      changeAccount(id, READY)
      return Response.redirect(back, 303)
    }
    if (kind !== 'pay') return plainPage(kind)
    const session = requireSession(books, id)
    if (request.method === 'GET') return payPage(session, books.plans.get(id)?.description ?? '')
    if (act === 'cancel') return Response.redirect(session.cancel_url, 303)
    paySession(books, emit, id, origin)
    return Response.redirect(session.success_url, 303)
  }

  function changeAccount(id: string, change: Partial<Account>): void {
    emit('account.updated', Object.assign(requireAccount(books, id), change))
  }

  const { origin, stop } = await listen(port, handle)
  const context: ApiContext = { books, origin, webhookUrls: () => urls, emit }

  return {
    origin,
    env: stripeEnv(origin),
    books,
    requests,
    sendTo: (...stores) => void (urls = stores.map((store) => `${store}/api/v1/stripe/webhook`)),
    hold: (held) => void (isHeld = held),
    send,
    fail: (point, fault, times = Number.POSITIVE_INFINITY) => faults.set(point, fault, times),
    watch: (watcher) => void (onCall = watcher),
    route: (deliverEvent) => void (route = deliverEvent),
    heal: () => faults.clear(),
    pay: (sessionUrl) => void paySession(books, emit, sessionUrl.split('/').at(-1) ?? '', origin),
    refund: (paymentId, cents) =>
      void createRefund(books, emit, {
        payment_intent: paymentId,
        reverse_transfer: 'true',
        refund_application_fee: 'true',
        ...(cents !== undefined && { amount: String(cents) }),
      }),
    failRefund: (paymentId) => failRefund(books, emit, paymentId),
    openDispute: (paymentId) => void openDispute(books, emit, paymentId),
    closeDispute: (paymentId, status) => closeDispute(books, emit, paymentId, status),
    changeAccount,
    async stop() {
      isStopped = true
      await stop()
    },
  }
}

/** An account that answered all questions. */
export const READY: Partial<Account> = {
  charges_enabled: true,
  payouts_enabled: true,
  details_submitted: true,
  requirements: { currently_due: [], past_due: [], disabled_reason: null },
}

function describe({ status, type, message, code, param }: Refusal): { status: number; text: string } {
  return { status, text: JSON.stringify({ error: { type, message, code, param } }) }
}

function refuse(refusal: Refusal): Response {
  const { status, text } = describe(refusal)
  return new Response(text, { status, headers: { 'content-type': 'application/json' } })
}

/**
 * 401, 500: nothing was done; lost: done, but no answer is sent; reset: the connection closes before anything
 * is done; slow: the answer is late; hang: there is no answer.
 */
type Fault = '401' | '500' | 'lost' | 'reset' | 'slow' | 'hang'

const SLOW_MS = 700

interface Faults {
  /** For the next requests whose `METHOD path` starts with the point; empty for all. */
  set(point: string, fault: Fault, times: number): void
  take(call: string): Fault | null
  clear(): void
}

function createFaults(): Faults {
  const set = new Map<string, { fault: Fault; left: number }>()
  return {
    set: (point, fault, times) => void set.set(point, { fault, left: times }),
    take(call) {
      for (const [point, entry] of set) {
        if (!call.startsWith(point)) continue
        entry.left -= 1
        if (entry.left <= 0) set.delete(point)
        return entry.fault
      }
      return null
    },
    clear: () => set.clear(),
  }
}

function page(title: string, body: string): Response {
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title><style>body{font:1rem/1.5 system-ui;max-width:26rem;margin:3rem auto;padding:0 1rem}button{font:inherit;padding:.6rem 1.4rem;margin-right:.5rem}</style>
<main><h1>${title}</h1>${body}</main></html>`
  return new Response(html, { headers: { 'content-type': 'text/html; charset=utf-8' } })
}

function payPage({ id, amount_total, status }: Session, name: string): Response {
  const text = `<p>${escape(name)}: $${(amount_total / 100).toFixed(2)}</p><p>No real money: this page stands for Stripe's.</p>`
  if (status !== 'open') return page('Already done', `${text}<p>This payment is ${status}.</p>`)
  return page(
    'Pay',
    `${text}<form method="post" action="/pay/${id}/pay"><button>Pay</button></form>
<form method="post" action="/pay/${id}/cancel"><button>Cancel</button></form>`,
  )
}

function onboardingPage(accountId: string, back: string): Response {
  return page(
    'Connect with Stripe',
    `<form method="post" action="/onboarding/${accountId}?return=${encodeURIComponent(back)}"><button>Finish</button></form>`,
  )
}

function plainPage(title: string): Response {
  return page(title, '<p>This page stands for one of Stripe.</p>')
}

function escape(text: string): string {
  return Bun.escapeHTML(text)
}
