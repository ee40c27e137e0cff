import { Elysia } from 'elysia'

import type { Deps } from '../../deps.ts'
import type { HttpKit } from '../../http/kit.ts'
import { libraryRoutes } from './library/routes.ts'
import { postRoutes, publicPostRoutes } from './posts/routes.ts'
import { reportRoutes } from './reports/routes.ts'
import { reviewRoutes } from './reviews/routes.ts'
import { communityTagRoutes } from './tags/routes.ts'

/** Libraries, posts, reviews, reports and community tags. */
export function communityRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'community area' })
    .use(libraryRoutes(kit, deps))
    .use(postRoutes(kit, deps))
    .use(publicPostRoutes(kit, deps))
    .use(reviewRoutes(kit, deps))
    .use(reportRoutes(kit, deps))
    .use(communityTagRoutes(kit, deps))
}
