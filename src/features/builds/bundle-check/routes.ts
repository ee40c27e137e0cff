import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { failsWith } from '../../../http/openapi/failures.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { BundleCheck } from './model.ts'
import { checkBundle } from './service.ts'

const tags = ['Builds']

export function bundleCheckRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'bundle-check', prefix: '/api/v1/private/games/:uid' })
    .use(kit)
    .get(
      '/builds/:build_id/bundle-check',
      async ({ actor, params }) => ok(await checkBundle(deps, actor, params.uid, params.build_id)),
      {
        website: true,
        response: Envelope(BundleCheck),
        detail: {
          tags,
          summary: 'Asset packs whose files are in a build, and how they are licensed',
          ...failsWith('build_not_found'),
        },
      },
    )
}
