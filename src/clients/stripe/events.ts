import type { Stripe } from 'stripe'

import { isObject } from '../../lib/field-readers.ts'
import { isUid } from '../../lib/ids.ts'
import { parseJsonOrNull } from '../../lib/json.ts'
import type { EventSubject, PaymentEvent } from './payments.ts'

const TOLERANCE_SECONDS = 300
const PARTS_MAX = 20_000
const ID_MAX = 255

/** The types to look for in Stripe's list of events, which takes up to 20 full names. */
export const LISTED_TYPES = [
  'checkout.session.completed',
  'checkout.session.expired',
  'charge.refunded',
  'charge.refund.updated',
  'refund.created',
  'refund.updated',
  'refund.failed',
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
  'charge.dispute.funds_reinstated',
  'charge.dispute.funds_withdrawn',
] as const

/**
 * Computed in this thread: the client's default hands each event to another thread, which takes longer than
 * the hash.
 */
const CRYPTO: Stripe.CryptoProvider = {
  computeHMACSignature: (payload, secret) =>
    new Bun.CryptoHasher('sha256', secret).update(payload).digest('hex'),
  computeHMACSignatureAsync: async (payload, secret) => CRYPTO.computeHMACSignature(payload, secret),
  computeSHA256Async: async (data) => new Bun.CryptoHasher('sha256').update(data).digest(),
}

/** Tries every secret, because two are valid while one is replaced. */
export function parseEvent(
  { signature: verifier }: Stripe['webhooks'],
  secrets: readonly string[],
  body: string,
  signature: string,
): PaymentEvent | null {
  if (!verifier) throw new Error('The client cannot check signatures')
  const isSigned = secrets.some((secret) => {
    try {
      return verifier.verifyHeader(body, signature, secret, TOLERANCE_SECONDS, CRYPTO)
    } catch {
      return false
    }
  })
  return isSigned ? toEvent(parseJsonOrNull(body, { partsMax: PARTS_MAX })) : null
}

export function toEvent(event: unknown): PaymentEvent | null {
  const id = textAt(event, 'id')
  const type = textAt(event, 'type')
  if (id === null || type === null || id.length > ID_MAX || type.length > ID_MAX) return null
  const object = at(at(event, 'data'), 'object')
  return { id, type, subject: parseSubject(type, object, event) }
}

function parseSubject(type: string, object: unknown, event: unknown): EventSubject | null {
  const owner = textAt(event, 'account')
  if (type === 'account.updated' || type === 'account.application.deauthorized') {
    const accountId = type === 'account.updated' ? textAt(object, 'id') : owner
    return accountId === null ? null : { kind: 'account', accountId }
  }
  // What developers sell elsewhere with the same account.
  if (owner !== null) return null
  if (type.startsWith('checkout.session.')) {
    const orderUid = textAt(at(object, 'metadata'), 'order_uid')
    const sessionId = textAt(object, 'id')
    return orderUid !== null && isUid(orderUid) && sessionId !== null
      ? { kind: 'order', orderUid, sessionId }
      : null
  }
  if (/^(?:charge\.(?:refund|dispute)|refund\.)/.test(type)) {
    const paymentId = textAt(object, 'payment_intent')
    return paymentId === null ? null : { kind: 'payment', paymentId }
  }
  return null
}

function at(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined
}

function textAt(value: unknown, name: string): string | null {
  const found = at(value, name)
  return typeof found === 'string' && found !== '' ? found : null
}
