import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { failsWith } from '../../../http/openapi/failures.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { BundleCheck, ModCompat } from './model.ts'
import { checkBundle, checkModCompat } from './service.ts'

export function comparisonRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'comparison', prefix: '/api/v1/private/games/:uid' })
    .use(kit)
    .get(
      '/builds/:build_id/bundle-check',
      async ({ actor, params }) => ok(await checkBundle(deps, actor, params.uid, params.build_id)),
      {
        website: true,
        response: Envelope(BundleCheck),
        detail: {
          tags: ['Builds'],
          summary: 'Asset packs whose files are in a build, and how they are licensed',
          ...failsWith('build_not_found'),
        },
      },
    )
    .get('/mod-compat', async ({ actor, params }) => ok(await checkModCompat(deps, actor, params.uid)), {
      websiteOrAgent: 'mcp:catalog.read',
      response: Envelope(ModCompat),
      detail: {
        tags: ['Listings'],
        summary: 'How a mod or plugin fits the stable and beta builds of its parent',
      },
    })
}
