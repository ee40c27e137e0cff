import { Elysia } from 'elysia'

import type { Deps } from '../../deps.ts'
import type { HttpKit } from '../../http/kit.ts'
import { crashRoutes } from './crashes/routes.ts'
import { healthRoutes } from './health/routes.ts'
import { ingestRoutes } from './ingest/routes.ts'

/** Routes for the events and crash reports of running games. */
export function telemetryRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'telemetry area' })
    .use(ingestRoutes(kit, deps))
    .use(crashRoutes(kit, deps))
    .use(healthRoutes(kit, deps))
}
