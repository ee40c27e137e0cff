import { t } from 'elysia'

import { REPORT_REASONS, REPORT_STATES } from '../../../domain/reports.ts'
import { PageQuery } from '../../../http/input/paging.ts'
import { Joined, Moment, OneOf, Uid } from '../../../http/input/schema.ts'

export const ReportQuery = Joined([
  PageQuery,
  t.Object({
    state: t.Optional(t.String({ description: `One of ${REPORT_STATES.join(', ')}; open by default.` })),
  }),
])

export const PageReport = t.Object({
  uid: Uid,
  reason: OneOf(REPORT_REASONS),
  text: t.String(),
  state: OneOf(REPORT_STATES),
  created_at: Moment,
  listing: t.Object({
    uid: Uid,
    vanity_name: t.String(),
    name: t.String(),
    taken_down: t.Boolean(),
  }),
  reporter: t.Object({ uid: Uid, username: t.String() }),
})
export type PageReport = typeof PageReport.static
