import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { failsWith } from '../../../http/openapi/failures.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { BuildHealth } from './model.ts'
import { loadBuildHealth } from './service.ts'

export function healthRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'health', prefix: '/api/v1/private/games/:uid' })
    .use(kit)
    .get(
      '/builds/:build_id/health',
      async ({ actor, params }) => ok(await loadBuildHealth(deps, actor, params.uid, params.build_id)),
      {
        websiteOrAgent: 'mcp:health.read',
        response: Envelope(BuildHealth),
        detail: { tags: ['Builds'], summary: 'How well a build starts', ...failsWith('build_not_found') },
      },
    )
}
