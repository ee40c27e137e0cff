import { Elysia } from 'elysia'

import type { Deps } from '../../deps.ts'
import type { HttpKit } from '../../http/kit.ts'
import { accountRoutes } from './account-routes.ts'
import { authRoutes } from './sign-in/auth-routes.ts'
import type { OpenAuth } from './sign-in/open-auth.ts'
import { createWebsiteAuth } from './sign-in/website.ts'

/** Signing in, and the signed-in account. */
export function accountAreaRoutes(kit: HttpKit, deps: Deps, openAuth: OpenAuth) {
  return new Elysia({ name: 'accounts area' })
    .use(authRoutes(kit, deps, openAuth))
    .use(accountRoutes(kit, deps, createWebsiteAuth(deps, openAuth)))
}
