import { t } from 'elysia'

import { VISIBILITIES } from '../../../domain/listings/visibility.ts'
import { OneOf } from '../../../http/input/schema.ts'

/** A publication that waits for an operator. */
export const PendingPublication = t.Object({
  visibility: OneOf(VISIBILITIES, { description: 'What it stays meanwhile.' }),
  approval: t.Literal('pending'),
})

export const Approval = t.Nullable(
  OneOf(['pending'] as const, { description: 'While its publication waits for an operator.' }),
)
