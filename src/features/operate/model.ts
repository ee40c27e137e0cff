import { t } from 'elysia'

export const REASON_MAX = 1000
const closed = { additionalProperties: false }

export const Reason = t.String({
  minLength: 1,
  maxLength: REASON_MAX,
  pattern: '\\S',
  error: `must have 1 to ${REASON_MAX} characters; the person it concerns reads it`,
})

export const ReasonInput = t.Object({ reason: Reason }, closed)
export type ReasonInput = typeof ReasonInput.static

/** For acts that undo an earlier one, where the reason is optional. */
export const OptionalReason = t.Optional(t.Object({ reason: t.Optional(Reason) }, closed))
export type OptionalReason = typeof OptionalReason.static
