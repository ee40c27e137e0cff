import { Elysia } from 'elysia'

import type { Deps } from '../../deps.ts'
import type { HttpKit } from '../../http/kit.ts'
import { changelogRoutes } from './changelog/routes.ts'
import { imageRoutes, mediaRoutes, toolImageRoutes } from './images/routes.ts'
import { listingRoutes } from './page/routes.ts'
import { pressRoutes } from './press/routes.ts'
import { pricingRoutes } from './pricing/routes.ts'
import { storeLinkRoutes } from './store-links/routes.ts'
import { teamRoutes } from './team/routes.ts'
import { videoMediaRoutes, videoRoutes } from './videos/routes.ts'

/** What developers write about a game, and its images. */
export function listingAreaRoutes(
  kit: HttpKit,
  deps: Deps,
  isOperator: (headers: Headers) => Promise<boolean>,
) {
  return new Elysia({ name: 'listings area' })
    .use(listingRoutes(kit, deps))
    .use(imageRoutes(kit, deps))
    .use(mediaRoutes(deps, isOperator))
    .use(videoRoutes(kit, deps))
    .use(videoMediaRoutes(deps, isOperator))
    .use(toolImageRoutes(kit, deps))
    .use(teamRoutes(kit, deps))
    .use(pricingRoutes(kit, deps))
    .use(changelogRoutes(kit, deps))
    .use(storeLinkRoutes(kit, deps))
    .use(pressRoutes(kit, deps))
}
