import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { ModCompat } from './model.ts'
import { checkModCompat } from './service.ts'

const tags = ['Listings']

export function modCompatRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'mod-compat', prefix: '/api/v1/private/games/:uid' })
    .use(kit)
    .get('/mod-compat', async ({ actor, params }) => ok(await checkModCompat(deps, actor, params.uid)), {
      websiteOrAgent: 'mcp:catalog.read',
      response: Envelope(ModCompat),
      detail: { tags, summary: 'How a mod or plugin fits the stable and beta builds of its parent' },
    })
}
