import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import { Paged, PageQuery } from '../../../http/input/schema.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { failsWith } from '../../../http/openapi/failures.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { parsePage } from '../../../lib/paging.ts'
import { DeployKey, NewDeployKey } from './model.ts'
import { issueDeployKey, listDeployKeys } from './service.ts'

const tags = ['Builds']

export function deployKeyRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'deploy-keys', prefix: '/api/v1/private/games/:uid' })
    .use(kit)
    .get(
      '/deploy-keys',
      async ({ actor, params, query }) => ok(await listDeployKeys(deps, actor, params.uid, parsePage(query))),
      {
        website: true,
        query: PageQuery,
        response: Envelope(Paged(DeployKey)),
        detail: { tags, summary: 'The deploy keys of the listing, newest first' },
      },
    )
    .post(
      '/deploy-keys',
      async ({ actor, params, status }) => status(201, ok(await issueDeployKey(deps, actor, params.uid))),
      {
        website: true,
        secondFactor: 'always',
        fresh: true,
        response: { 201: Envelope(NewDeployKey) },
        detail: {
          tags,
          summary: 'Issue a deploy key; it is shown once, and earlier ones stop working',
          ...failsWith('developer_mode_needed'),
        },
      },
    )
}
