import { Elysia } from 'elysia'

import type { Deps } from '../../deps.ts'
import type { HttpKit } from '../../http/kit.ts'
import { bugReportRoutes } from './reports/routes.ts'
import { bugReporterRoutes } from './settings/routes.ts'
import { noticeRoutes, screenshotRoutes, ticketRoutes } from './tickets/routes.ts'
import { webhookRoutes } from './webhooks/routes.ts'

/** Routes for bug reports, their settings, tickets and webhooks. */
export function bugAreaRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'bugs area' })
    .use(bugReporterRoutes(kit, deps))
    .use(bugReportRoutes(kit, deps))
    .use(ticketRoutes(kit, deps))
    .use(noticeRoutes(kit, deps))
    .use(webhookRoutes(kit, deps))
    .use(screenshotRoutes(deps))
}
