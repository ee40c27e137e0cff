import { type AnyElysia, Elysia } from 'elysia'

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

export type App = AnyElysia

/** Composes the features; never listens. */
export async function createApp(deps: Deps, options: AppOptions): Promise<App> {
  const readReadiness = createReadiness(deps, options.isStopping)
  const base = new Elysia({ normalize: false }).use(createBase(deps)).use(operationRoutes(readReadiness))
  return deps.config.role === 'worker' ? base : await withFeatures(base, deps)
}

/** What is served by everyone who is not there for the jobs alone. */
async function withFeatures(base: App, deps: Deps): Promise<App> {
  const auth = await createAuth(deps)
  const credentials = await createCredentials(deps, auth)
  const kit = createHttpKit(deps, credentials)
  const app = base
    .use(objectLinks(deps.store))
    .use(siteRoutes(kit, deps))
    .use(authRoutes(kit, deps, auth))
    .use(accountRoutes(kit, deps, credentials))
  return app.use(openapiRoutes(kit, deps.config.baseUrl, () => app.routes))
}
