import { Elysia, t } from 'elysia'

import type { Deps } from '../../../deps.ts'
import { Paged } from '../../../http/input/schema.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { parsePage } from '../../../lib/paging.ts'
import { JobQuery, QueuedJob, Status } from './model.ts'
import type { RecentRequests } from './recent-requests.ts'
import { createStatusReader, listJobs, parseJobState, rebuildIndex, tryAgain } from './service.ts'

const tags = ['Operators']

/** How the store is doing, and its queue of jobs. */
export function statusRoutes(kit: HttpKit, deps: Deps, recent: RecentRequests) {
  const readStatus = createStatusReader(deps, recent)
  return new Elysia({ name: 'operator-status', prefix: '/api/v1/operator' })
    .use(kit)
    .get('/status', async () => ok(await readStatus()), {
      operator: true,
      limit: 'operator',
      response: Envelope(Status),
      detail: { tags, summary: 'How the store is doing' },
    })
    .get(
      '/jobs',
      async ({ query }) => ok(await listJobs(deps, parseJobState(query.state), parsePage(query))),
      {
        operator: true,
        limit: 'operator',
        query: JobQuery,
        response: Envelope(Paged(QueuedJob)),
        detail: { tags, summary: 'Jobs that failed for good, wait or run' },
      },
    )
    .post(
      '/jobs/:id/retry',
      async ({ actor, params }) => {
        await tryAgain(deps, actor, params.id)
        return ok({})
      },
      {
        operator: true,
        limit: 'operator',
        response: Envelope(t.Object({})),
        detail: { tags, summary: 'Start a job over' },
      },
    )
    .post(
      '/search/rebuild',
      async ({ actor }) => {
        await rebuildIndex(deps, actor)
        return ok({})
      },
      {
        operator: true,
        limit: 'operator',
        response: Envelope(t.Object({})),
        detail: { tags, summary: 'Build the search index again, in the background' },
      },
    )
}
