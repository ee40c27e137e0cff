import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import { Paged } from '../../../http/input/schema.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { parsePage } from '../../../lib/paging.ts'
import { Crash, CrashesQuery, CrashGroup } from './model.ts'
import { listCrashes, loadCrash } from './service.ts'

const tags = ['Builds']

export function crashRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'crashes', prefix: '/api/v1/private/games/:uid' })
    .use(kit)
    .get(
      '/crashes',
      async ({ actor, params, query }) =>
        ok(await listCrashes(deps, actor, params.uid, query.build_id, parsePage(query))),
      {
        websiteOrAgent: 'mcp:crash.read',
        query: CrashesQuery,
        response: Envelope(Paged(CrashGroup)),
        detail: { tags, summary: 'The crashes of a game by kind, most recently seen first' },
      },
    )
    .get(
      '/crashes/:crash_uid',
      async ({ actor, params }) => ok(await loadCrash(deps, actor, params.uid, params.crash_uid)),
      {
        websiteOrAgent: 'mcp:crash.read',
        response: Envelope(Crash),
        detail: { tags, summary: 'One crash report with its log' },
      },
    )
}
