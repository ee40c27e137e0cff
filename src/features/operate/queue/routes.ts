import { Elysia, t } from 'elysia'

import { Paged } from '../../../http/input/paging.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { readPage } from '../../../lib/paging.ts'
import type { Operate } from '../operate.ts'
import { JobQuery, QueuedJob } from './model.ts'
import { listJobs, readJobState, rebuildIndex, tryAgain } from './service.ts'

const tags = ['Operators']

export function operatorJobRoutes(kit: HttpKit, operate: Operate) {
  return new Elysia({ name: 'operator-jobs', prefix: '/api/v1/operator' })
    .use(kit)
    .get(
      '/jobs',
      async ({ query }) => ok(await listJobs(operate, readJobState(query.state), readPage(query))),
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
        await tryAgain(operate, actor, params.id)
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
        await rebuildIndex(operate, actor)
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
