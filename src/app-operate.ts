import { Elysia } from 'elysia'

import { operatorAccountRoutes } from './features/operate/accounts/routes.ts'
import { auditRoutes } from './features/operate/audit/routes.ts'
import { operatorCollectionRoutes } from './features/operate/collections/routes.ts'
import { invitationRoutes } from './features/operate/invitations/routes.ts'
import { operatorListingRoutes } from './features/operate/listings/routes.ts'
import type { Operate } from './features/operate/operate.ts'
import { publicationRoutes } from './features/operate/publications/routes.ts'
import { operatorJobRoutes } from './features/operate/queue/routes.ts'
import { operatorReportRoutes } from './features/operate/reports/routes.ts'
import { operatorSettingsRoutes } from './features/operate/settings/routes.ts'
import { operatorStatusRoutes } from './features/operate/status/routes.ts'
import type { HttpKit } from './http/kit.ts'

/** For those who run the store. */
export function operatorRoutes(kit: HttpKit, operate: Operate) {
  return new Elysia({ name: 'operators' })
    .use(operatorStatusRoutes(kit, operate))
    .use(operatorJobRoutes(kit, operate))
    .use(operatorReportRoutes(kit, operate))
    .use(operatorListingRoutes(kit, operate))
    .use(operatorAccountRoutes(kit, operate))
    .use(operatorSettingsRoutes(kit, operate))
    .use(invitationRoutes(kit, operate))
    .use(operatorCollectionRoutes(kit, operate))
    .use(publicationRoutes(kit, operate))
    .use(auditRoutes(kit, operate))
}
