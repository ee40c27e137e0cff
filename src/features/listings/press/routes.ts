import { Elysia, t } from 'elysia'

import type { Deps } from '../../../deps.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { failsWith } from '../../../http/openapi/failures.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { PressKit } from './model.ts'
import { publicPressRoutes } from './public-routes.ts'
import { getPressKit, savePressKit } from './service.ts'

const tags = ['Press']

export function pressRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'press' }).use(publicPressRoutes(kit, deps)).use(ownPressRoutes(kit, deps))
}

function ownPressRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'own-press', prefix: '/api/v1/private/games/:uid' })
    .use(kit)
    .get('/press', async ({ actor, params }) => ok(await getPressKit(deps, actor, params.uid)), {
      websiteOrAgent: 'mcp:catalog.read',
      response: Envelope(PressKit),
      detail: { tags, summary: 'The press kit' },
    })
    .put('/press', async ({ actor, params, body }) => ok(await savePressKit(deps, actor, params.uid, body)), {
      website: true,
      // Validated by the service, because its errors have a code of their own.
      body: t.Unknown(),
      response: Envelope(PressKit),
      detail: { tags, summary: 'Replace the press kit', ...failsWith('press_kit_invalid') },
    })
}
