import { Elysia } from 'elysia'

import type { Deps } from '../../deps.ts'
import { done, Envelope, listOf, Nothing, ok, Paged } from '../../http/input/schema.ts'
import { createRoutes, type HttpKit } from '../../http/kit.ts'
import { parsePage } from '../../lib/paging.ts'
import { Act } from '../audit/model.ts'
import { listActs } from '../audit/service.ts'
import { MissedSearch } from '../catalog/search/model.ts'
import { listMissedSearches } from '../catalog/search/request.ts'
import { accountsRoutes } from './accounts/routes.ts'
import { operatorCollectionRoutes } from './collections/routes.ts'
import { LookAlike } from './look-alikes/model.ts'
import { dismissLookAlike, listLookAlikes } from './look-alikes/service.ts'
import { moderationRoutes } from './moderation/routes.ts'
import { operatorSettingsRoutes } from './settings/routes.ts'
import { JobQuery, QueuedJob, Status } from './status/model.ts'
import type { RecentRequests } from './status/recent-requests.ts'
import { createStatusReader, listJobs, parseJobState, rebuildIndex, tryAgain } from './status/service.ts'

/** The API of the operators. */
export function operatorRoutes(kit: HttpKit, deps: Deps, recent: RecentRequests) {
  return new Elysia({ name: 'operators' })
    .use(statusRoutes(kit, deps, recent))
    .use(moderationRoutes(kit, deps))
    .use(accountsRoutes(kit, deps))
    .use(lookAlikeRoutes(kit, deps))
    .use(operatorSettingsRoutes(kit, deps))
    .use(operatorCollectionRoutes(kit, deps))
    .use(missedSearchRoutes(kit, deps))
    .use(auditRoutes(kit, deps))
}

function auditRoutes(kit: HttpKit, { db }: Deps) {
  return createRoutes(kit, { name: 'operator-audit', prefix: '/api/v1/operator', tags: ['Operators'] }).get(
    '/audit',
    async ({ query }) => ok(await listActs(db, parsePage(query))),
    {
      operator: true,
      ...listOf(Act),
      summary: 'Everything operators did, newest first',
    },
  )
}

function missedSearchRoutes(kit: HttpKit, deps: Deps) {
  return createRoutes(kit, {
    name: 'operator-searches',
    prefix: '/api/v1/operator',
    tags: ['Operators'],
  }).get('/searches', async ({ query }) => ok(await listMissedSearches(deps, parsePage(query))), {
    operator: true,
    ...listOf(MissedSearch),
    summary: 'What was searched in the last 30 days and not found, the most frequent first',
    description: 'Words only: nothing is stored about who searched.',
  })
}

function lookAlikeRoutes(kit: HttpKit, deps: Deps) {
  return createRoutes(kit, {
    name: 'operator-look-alikes',
    prefix: '/api/v1/operator/look-alikes',
    tags: ['Operators'],
  })
    .get('', async ({ query }) => ok(await listLookAlikes(deps, parsePage(query))), {
      operator: true,
      ...listOf(LookAlike),
      summary: 'Names that look like a developer’s or the store’s',
    })
    .post(
      '/:uid/dismiss',
      async ({ actor, params }) => await done(dismissLookAlike(deps, actor, params.uid)),
      {
        operator: true,
        response: Nothing,
        summary: 'Accept the name of an account',
      },
    )
}

/** How the store is doing, and its queue of jobs. */
function statusRoutes(kit: HttpKit, deps: Deps, recent: RecentRequests) {
  const readStatus = createStatusReader(deps, recent)
  return createRoutes(kit, { name: 'operator-status', prefix: '/api/v1/operator', tags: ['Operators'] })
    .get('/status', async () => ok(await readStatus()), {
      operator: true,
      response: Envelope(Status),
      summary: 'How the store is doing',
    })
    .get(
      '/jobs',
      async ({ query }) => ok(await listJobs(deps, parseJobState(query.state), parsePage(query))),
      {
        operator: true,
        query: JobQuery,
        response: Envelope(Paged(QueuedJob)),
        summary: 'Jobs that failed for good, wait or run',
      },
    )
    .post('/jobs/:id/retry', async ({ actor, params }) => await done(tryAgain(deps, actor, params.id)), {
      operator: true,
      response: Nothing,
      summary: 'Start a job over',
    })
    .post('/search/rebuild', async ({ actor }) => await done(rebuildIndex(deps, actor)), {
      operator: true,
      response: Nothing,
      summary: 'Build the search index again, in the background',
    })
}
