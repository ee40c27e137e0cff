import { Elysia } from 'elysia'

import type { Deps } from '../../deps.ts'
import type { HttpKit } from '../../http/kit.ts'
import { digestRoutes } from './digests/routes.ts'
import { libraryRoutes } from './library/routes.ts'
import { noticeRoutes } from './notices/routes.ts'
import type { CountUnread } from './notices/unread.ts'
import { postRoutes, publicPostRoutes } from './posts/routes.ts'
import { reportRoutes } from './reports/routes.ts'
import { reviewRoutes } from './reviews/routes.ts'
import { communityTagRoutes } from './tags/routes.ts'

/** Libraries, notices, posts, reviews, reports and community tags. */
export function communityRoutes(kit: HttpKit, deps: Deps, countUnread: CountUnread) {
  return new Elysia({ name: 'community area' })
    .use(libraryRoutes(kit, deps))
    .use(noticeRoutes(kit, deps, countUnread))
    .use(digestRoutes(kit, deps))
    .use(postRoutes(kit, deps))
    .use(publicPostRoutes(kit, deps))
    .use(reviewRoutes(kit, deps))
    .use(reportRoutes(kit, deps))
    .use(communityTagRoutes(kit, deps))
}
