import { Elysia } from 'elysia'

import type { Deps } from './deps.ts'
import { authRoutes } from './features/accounts/auth-routes.ts'
import { createAuth } from './features/accounts/auth.ts'
import { createCredentials } from './features/accounts/credentials.ts'
import { accountRoutes } from './features/accounts/routes.ts'
import { operationRoutes } from './features/operations/routes.ts'
import { createReadiness } from './features/operations/service.ts'
import { createBase } from './http/base.ts'
import { createHttpKit } from './http/kit.ts'
import { objectLinks } from './http/object-links.ts'
import { openapiRoutes } from './http/openapi/routes.ts'
import { siteRoutes } from './site/routes.ts'

export interface AppOptions {
  isStopping: () => boolean
}

export type App = Awaited<ReturnType<typeof createApp>>

/** Composes the features; never listens. */
export async function createApp(deps: Deps, options: AppOptions) {
  const auth = await createAuth(deps)
  const credentials = await createCredentials(deps, auth)
  const kit = createHttpKit(deps, credentials)
  const app = new Elysia({ normalize: false })
    .use(createBase(deps))
    .use(operationRoutes(kit, createReadiness(deps, options.isStopping)))
    .use(objectLinks(deps.store))
    .use(siteRoutes(kit, deps))
    .use(authRoutes(kit, deps, auth))
    .use(accountRoutes(kit, deps, credentials))
  return app.use(openapiRoutes(kit, deps.config.baseUrl, () => app.routes))
}
