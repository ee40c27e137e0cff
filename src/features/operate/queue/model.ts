import { t } from 'elysia'

import { PageQuery } from '../../../http/input/paging.ts'
import { Integer, Joined, Moment, OneOf } from '../../../http/input/schema.ts'
import { JOB_STATES } from '../../../jobs/queue-view.ts'

export const JobQuery = Joined([
  PageQuery,
  t.Object({
    state: t.Optional(t.String({ description: `One of ${JOB_STATES.join(', ')}; failed by default.` })),
  }),
])

export const QueuedJob = t.Object({
  id: t.String(),
  task: t.String({ examples: ['mail.send'] }),
  state: OneOf(JOB_STATES),
  attempts: Integer(),
  max_attempts: Integer(),
  last_error: t.Nullable(t.String()),
  created_at: Moment,
  run_at: Moment,
})
export type QueuedJob = typeof QueuedJob.static
