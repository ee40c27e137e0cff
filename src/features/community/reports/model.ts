import { t } from 'elysia'

import { REPORT_REASONS } from '../../../domain/reports.ts'
import { Moment, OneOf, Strict, Uid } from '../../../http/input/schema.ts'

export const REPORT_TEXT_MAX = 2000

export const ReportInput = Strict({
  reason: OneOf(REPORT_REASONS),
  text: t.String({
    minLength: 1,
    maxLength: REPORT_TEXT_MAX,
    pattern: '\\S',
    error: `must say what is wrong, in 1 to ${REPORT_TEXT_MAX} characters`,
  }),
  post: t.Optional({ ...Uid, description: 'The post that it is about; the page itself unless given.' }),
})
export type ReportInput = typeof ReportInput.static

export const Report = t.Object({
  uid: Uid,
  reason: OneOf(REPORT_REASONS),
  text: t.String(),
  post: t.Nullable(Uid),
  created_at: Moment,
})
export type Report = typeof Report.static
