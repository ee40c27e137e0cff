import { t } from 'elysia'

import { Integer } from '../../../http/input/schema.ts'

export const REASON_MAX = 500

export const RefundInput = t.Object(
  {
    amount_cents: t.Optional(
      Integer({ minimum: 1, description: 'The whole rest if left out. Buyers get the whole rest.' }),
    ),
    reason: t.Optional(
      t.String({
        minLength: 1,
        maxLength: REASON_MAX,
        pattern: '\\S',
        description: 'Owners and operators have to give one.',
      }),
    ),
  },
  { additionalProperties: false },
)
export type RefundInput = typeof RefundInput.static
