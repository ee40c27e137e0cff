import { Elysia } from 'elysia'

import type { Deps } from '../../deps.ts'
import { Envelope, ok, Paged } from '../../http/input/schema.ts'
import { createRoutes, type HttpKit } from '../../http/kit.ts'
import { parsePage } from '../../lib/paging.ts'
import { Crash, CrashesQuery, CrashGroup } from './crashes/model.ts'
import { listCrashes, loadCrash } from './crashes/service.ts'
import { BuildHealth } from './health/model.ts'
import { loadBuildHealth } from './health/service.ts'
import { ingestRoutes } from './ingest/routes.ts'

/** Routes for the events and crash reports of running games. */
export function telemetryRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'telemetry area' })
    .use(ingestRoutes(kit, deps))
    .use(crashRoutes(kit, deps))
    .use(healthRoutes(kit, deps))
}

function healthRoutes(kit: HttpKit, deps: Deps) {
  return createRoutes(kit, { name: 'health', prefix: '/api/v1/private/games/:uid', tags: ['Builds'] }).get(
    '/builds/:build_id/health',
    async ({ actor, params }) => ok(await loadBuildHealth(deps, actor, params.uid, params.build_id)),
    {
      websiteOrAgent: 'mcp:health.read',
      response: Envelope(BuildHealth),
      summary: 'How well a build starts',
      fails: 'build_not_found',
    },
  )
}

function crashRoutes(kit: HttpKit, deps: Deps) {
  return createRoutes(kit, { name: 'crashes', prefix: '/api/v1/private/games/:uid', tags: ['Builds'] })
    .get(
      '/crashes',
      async ({ actor, params, query }) =>
        ok(await listCrashes(deps, actor, params.uid, query.build_id, parsePage(query))),
      {
        websiteOrAgent: 'mcp:crash.read',
        query: CrashesQuery,
        response: Envelope(Paged(CrashGroup)),
        summary: 'The crashes of a game by kind, most recently seen first',
      },
    )
    .get(
      '/crashes/:crash_uid',
      async ({ actor, params }) => ok(await loadCrash(deps, actor, params.uid, params.crash_uid)),
      {
        websiteOrAgent: 'mcp:crash.read',
        response: Envelope(Crash),
        summary: 'One crash report with its log',
      },
    )
}
