import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { failsWith } from '../../../http/openapi/failures.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { Order } from '../orders/model.ts'
import { RefundInput } from './model.ts'
import { type RecordRefund, refundOrder } from './service.ts'

export function refundRoutes(kit: HttpKit, deps: Deps, record: RecordRefund) {
  return new Elysia({ name: 'refunds', prefix: '/api/v1/private/orders' })
    .use(kit)
    .post(
      '/:uid/refund',
      async ({ actor, params, body }) => ok(await refundOrder(deps, actor, params.uid, body, record)),
      {
        website: true,
        limit: 'refund',
        body: RefundInput,
        response: Envelope(Order),
        detail: {
          tags: ['Selling'],
          summary: 'Give an order back',
          description:
            'The buyer within 14 days and with less than 2 hours played; the owner of the listing and operators at any time, with a reason. The same request is one refund, however often it is sent.',
          ...failsWith('refund_refused', 'confirmation_needed', 'second_factor_needed', 'payments_failed'),
        },
      },
    )
}
