import { type FormObject, partOf, textOf } from './form.ts'
import {
  createRefund,
  createTransfer,
  disputesOf,
  expireIfLate,
  expireSession,
  requireSession,
  reverseTransfer,
  textsOf,
} from './money.ts'
import {
  type Account,
  type Books,
  createId,
  type Intent,
  missing,
  nowSeconds,
  Refusal,
  type Session,
} from './state.ts'

interface ApiCall {
  method: string
  /** Below /v1. */
  path: string
  form: FormObject
  query: URLSearchParams
}

export interface ApiContext {
  books: Books
  origin: string
  webhookUrls: () => string[]
  emit(type: string, object: object): void
}

/** Everything that the store sends; anything else is refused, as Stripe refuses unknown parameters. */
const SESSION_PARAMS = new Set(
  'mode allowed_payment_method_types adaptive_pricing client_reference_id customer_email line_items automatic_tax metadata payment_intent_data expires_at success_url cancel_url expand'.split(
    ' ',
  ),
)
const HALF_HOUR = 30 * 60
const DAY = 24 * 60 * 60

/** The object that Stripe answers; throws `Refusal`. */
export function answerApi(context: ApiContext, { method, path, form, query }: ApiCall): object {
  const { books, emit } = context
  const [kind = '', id = '', act = ''] = path.replace('checkout/', '').split('/')
  switch (`${method} ${kind}${id === '' ? '' : '/:id'}${act === '' ? '' : `/${act}`}`) {
    case 'GET balance':
      return { object: 'balance', livemode: false, available: [], pending: [] }
    case 'GET webhook_endpoints':
      return listOf(
        context.webhookUrls().map((url) => ({ object: 'webhook_endpoint', url, status: 'enabled' })),
        '/v1/webhook_endpoints',
      )
    case 'POST accounts':
      return createAccount(books, form)
    case 'GET accounts/:id':
      return requireAccount(books, id)
    case 'POST accounts/:id/login_links':
      requireAccount(books, id)
      return { object: 'login_link', created: nowSeconds(), url: `${context.origin}/dashboard/${id}` }
    case 'POST account_links':
      return createLink(context, form)
    case 'POST sessions':
      return createSession(context, form)
    case 'GET sessions/:id': {
      const session = requireSession(books, id)
      expireIfLate(session, emit)
      return expandSession(books, session, query)
    }
    case 'POST sessions/:id/expire':
      return expireSession(books, emit, id)
    case 'GET payment_intents/:id': {
      const intent = books.intents.get(id)
      if (!intent) throw missing('payment_intent', id)
      return expandIntent(books, intent, query)
    }
    case 'POST refunds':
      return createRefund(books, emit, form)
    case 'GET refunds': {
      const intent = query.get('payment_intent')
      const made = [...books.refunds.values()].filter(({ payment_intent }) => payment_intent === intent)
      return listOf(made, '/v1/refunds')
    }
    case 'POST transfers':
      return createTransfer(books, form)
    case 'POST transfers/:id/reversals':
      return reverseTransfer(books, id, form)
    case 'GET transfers': {
      const group = query.get('transfer_group')
      const made = [...books.transfers.values()].filter(({ transfer_group }) => transfer_group === group)
      return listOf(made.toReversed(), '/v1/transfers')
    }
    case 'GET disputes':
      return listOf(disputesOf(books, query.get('payment_intent') ?? ''), '/v1/disputes')
    case 'GET events':
      return listEvents(books, query)
    default:
      throw new Refusal(404, 'invalid_request_error', `Unrecognized request URL (${method}: /v1/${path}).`)
  }
}

function listOf(data: object[], url: string): object {
  return { object: 'list', url, has_more: false, data }
}

/** The newest first; a page ends next to the event that it starts or ends at. */
function listEvents({ events }: Books, query: URLSearchParams): object {
  const types = new Set([...query].flatMap(([name, value]) => (name.startsWith('types') ? value : [])))
  const until = Number(query.get('created[lte]') ?? Number.POSITIVE_INFINITY)
  const limit = Number(query.get('limit') ?? 10)
  const indexOf = (id: string) => {
    const index = events.findIndex((event) => event.id === id)
    if (index === -1) throw missing('event', id)
    return index
  }
  const [newerThan, olderThan] = [query.get('ending_before'), query.get('starting_after')]
  const start = newerThan === null ? 0 : indexOf(newerThan) + 1
  const end = olderThan === null ? events.length : indexOf(olderThan)
  const found = events.slice(start, end).filter(({ type, created }) => types.has(type) && created <= until)
  const page = newerThan === null ? found.slice(-limit) : found.slice(0, limit)
  return { ...listOf(page.toReversed(), '/v1/events'), has_more: page.length < found.length }
}

function createAccount(books: Books, form: FormObject): Account {
  const account: Account = {
    id: createId('acct'),
    object: 'account',
    type: 'express',
    email: textOf(form.email),
    charges_enabled: false,
    payouts_enabled: false,
    details_submitted: false,
    requirements: {
      currently_due: ['external_account', 'tos_acceptance.date'],
      past_due: [],
      disabled_reason: 'requirements.past_due',
    },
    metadata: textsOf(form, 'metadata'),
  }
  books.accounts.set(account.id, account)
  return account
}

export function requireAccount(books: Books, id: string): Account {
  const account = books.accounts.get(id)
  if (account) return account
  const message = `The provided key 'sk_test_***' does not have access to account '${id}' (or that account does not exist). Application access may have been revoked.`
  throw new Refusal(403, 'invalid_request_error', message, 'account_invalid')
}

function createLink({ books, origin }: ApiContext, form: FormObject): object {
  const account = requireAccount(books, textOf(form.account) ?? '')
  const back = encodeURIComponent(textOf(form.return_url) ?? '')
  const url = `${origin}/onboarding/${account.id}?return=${back}`
  return { object: 'account_link', created: nowSeconds(), expires_at: nowSeconds() + 300, url }
}

function createSession({ books, origin }: ApiContext, form: FormObject): Session {
  const unknown = Object.keys(form).find((name) => !SESSION_PARAMS.has(name))
  if (unknown !== undefined)
    throw new Refusal(
      400,
      'invalid_request_error',
      `Received unknown parameter: ${unknown}`,
      'parameter_unknown',
      unknown,
    )
  const price = partOf(form, 'line_items', 0, 'price_data')
  const amount = Number(textOf(partOf(price, 'unit_amount')))
  const sentFee = textOf(partOf(form, 'payment_intent_data', 'application_fee_amount'))
  const fee = sentFee === null ? null : Number(sentFee)
  const destination = textOf(partOf(form, 'payment_intent_data', 'transfer_data', 'destination')) ?? ''
  const expiresAt = Number(textOf(form.expires_at))
  const created = nowSeconds()
  if (!Number.isInteger(amount) || amount < 50)
    throw new Refusal(400, 'invalid_request_error', 'The amount is too small', 'amount_too_small')
  if (fee !== null && (!Number.isInteger(fee) || fee < 1 || fee > amount))
    throw new Refusal(400, 'invalid_request_error', 'The fee must be positive and not exceed the amount')
  if (expiresAt < created + HALF_HOUR || expiresAt > created + DAY)
    throw new Refusal(400, 'invalid_request_error', '`expires_at` must be 30 minutes to 24 hours away')
  const account = books.accounts.get(destination)
  if (!account) {
    const param = 'payment_intent_data[transfer_data][destination]'
    const message = `No such destination: '${destination}'`
    throw new Refusal(400, 'invalid_request_error', message, 'resource_missing', param)
  }
  if (!account.charges_enabled) {
    const message = 'Your destination account needs to have at least one capability enabled.'
    throw new Refusal(400, 'invalid_request_error', message, 'insufficient_capabilities_for_transfer')
  }
  const id = createId('cs_test')
  const session: Session = {
    id,
    object: 'checkout.session',
    livemode: false,
    mode: 'payment',
    status: 'open',
    payment_status: 'unpaid',
    url: `${origin}/pay/${id}`,
    success_url: textOf(form.success_url) ?? '',
    cancel_url: textOf(form.cancel_url) ?? '',
    created,
    expires_at: expiresAt,
    amount_total: amount,
    currency: textOf(partOf(price, 'currency')) ?? '',
    client_reference_id: textOf(form.client_reference_id),
    metadata: textsOf(form, 'metadata'),
    customer_details: { email: textOf(form.customer_email), address: null },
    payment_intent: null,
  }
  books.sessions.set(id, session)
  books.plans.set(id, {
    fee,
    destination,
    description: textOf(partOf(price, 'product_data', 'name')) ?? '',
    suffix: textOf(partOf(form, 'payment_intent_data', 'statement_descriptor_suffix')),
    metadata: textsOf(form, 'payment_intent_data', 'metadata'),
  })
  return session
}

/** With the transfer and the fee, where they are asked for. */
function expandIntent(books: Books, intent: Intent, query: URLSearchParams): object {
  const charge = books.charges.get(intent.latest_charge)
  if (!charge || ![...query.keys()].some((name) => name.startsWith('expand'))) return intent
  return {
    ...intent,
    latest_charge: {
      ...charge,
      application_fee: books.fees.get(charge.application_fee ?? '') ?? null,
      transfer: books.transfers.get(charge.transfer),
    },
  }
}

/** The only path that the store asks for; without it Stripe answers ids. */
function expandSession(books: Books, session: Session, query: URLSearchParams): object {
  const isExpanded = [...query].some(
    ([name, value]) => name.startsWith('expand') && value === 'payment_intent.latest_charge.application_fee',
  )
  const intent = books.intents.get(session.payment_intent ?? '')
  const charge = intent && books.charges.get(intent.latest_charge)
  if (!isExpanded || !charge) return session
  const fee = books.fees.get(charge.application_fee ?? '') ?? null
  return {
    ...session,
    payment_intent: { ...intent, latest_charge: { ...charge, application_fee: fee } },
  }
}
