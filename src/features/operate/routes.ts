import { Elysia } from 'elysia'

import type { Deps } from '../../deps.ts'
import type { HttpKit } from '../../http/kit.ts'
import { auditRoutes } from '../audit/routes.ts'
import { accountsRoutes } from './accounts/routes.ts'
import { operatorCollectionRoutes } from './collections/routes.ts'
import { lookAlikeRoutes } from './look-alikes/routes.ts'
import { moderationRoutes } from './moderation/routes.ts'
import { missedSearchRoutes } from './searches/routes.ts'
import { operatorSettingsRoutes } from './settings/routes.ts'
import type { RecentRequests } from './status/recent-requests.ts'
import { statusRoutes } from './status/routes.ts'

/** The API of the operators. */
export function operatorRoutes(kit: HttpKit, deps: Deps, recent: RecentRequests) {
  return new Elysia({ name: 'operators' })
    .use(statusRoutes(kit, deps, recent))
    .use(moderationRoutes(kit, deps))
    .use(accountsRoutes(kit, deps))
    .use(lookAlikeRoutes(kit, deps))
    .use(operatorSettingsRoutes(kit, deps))
    .use(operatorCollectionRoutes(kit, deps))
    .use(missedSearchRoutes(kit, deps))
    .use(auditRoutes(kit, deps))
}
