import { t } from 'elysia'

import { Integer, Joined, Moment, OneOf, PageQuery } from '../../../http/input/schema.ts'
import { JOB_STATES } from '../../../jobs/queue-view.ts'

const Count = Integer({ minimum: 0 })

const Route = t.Object({
  method: t.String(),
  route: t.String(),
  count: Count,
  errors: Count,
  mean_ms: t.Number(),
  slowest_ms: t.Number(),
})

export const Status = t.Object({
  version: t.String(),
  services: t.Array(
    t.Object({
      name: t.String(),
      using: t.String(),
      up: t.Boolean(),
      required: t.Boolean(),
      latency_ms: t.Number(),
      error: t.Nullable(t.String()),
      advice: t.String(),
    }),
  ),
  queues: t.Array(t.Object({ task: t.String(), waiting: Count, running: Count, failed: Count })),
  scans: t.Object({
    running: Count,
    oldest: t.Nullable(
      t.Object({ file_uid: t.String(), filename: t.String(), listing_uid: t.String(), since: Moment }),
    ),
  }),
  storage: t.Array(t.Object({ kind: t.String(), objects: Count, bytes: t.Number() })),
  search: t.Object({ engine: t.String(), listings: Count, waiting: Count, lag_seconds: t.Number() }),
  open_reports: Count,
  waiting_publications: Count,
  requests: t.Object(
    {
      since: Moment,
      total: Count,
      per_minute: t.Number(),
      errors: Count,
      minutes: t.Array(Count, { description: 'Requests of each of the last 60 minutes, oldest first.' }),
      failing: t.Array(Route),
      slowest: t.Array(Route),
    },
    { description: 'Of this process, during the last hour.' },
  ),
})
export type Status = typeof Status.static

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
