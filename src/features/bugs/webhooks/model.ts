import { t } from 'elysia'

import { DELIVERY_STATES } from '../../../domain/bugs.ts'
import { Integer, Moment, OneOf, Uid } from '../../../http/input/schema.ts'

const lastAttempt = {
  status: t.Nullable(Integer({ description: 'The HTTP status; null without an answer.', examples: [200] })),
  latency_ms: t.Nullable(Integer({ minimum: 0 })),
  error: t.Nullable(t.String({ description: 'Why it failed.' })),
}

export const DeliveryAttempt = t.Object({
  at: Moment,
  ...lastAttempt,
  latency_ms: Integer({ minimum: 0 }),
})
export type DeliveryAttempt = typeof DeliveryAttempt.static

/** One webhook to one URL. */
export const Delivery = t.Object({
  uid: Uid,
  event: OneOf(['bug.created', 'bug.test']),
  ticket_uid: t.Nullable({ ...Uid, description: 'null for a test.' }),
  url: t.String(),
  state: OneOf(DELIVERY_STATES),
  ...lastAttempt,
  attempts: t.Array(DeliveryAttempt, { description: 'Newest first, at most 20.' }),
  next_retry_at: t.Nullable({ ...Moment, description: 'null when it is not tried again.' }),
  created_at: Moment,
})
export type Delivery = typeof Delivery.static

export const SentTests = t.Object({ items: t.Array(Delivery) })
export type SentTests = typeof SentTests.static
