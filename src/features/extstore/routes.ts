import { Elysia } from 'elysia'

import type { Deps } from '../../deps.ts'
import type { HttpKit } from '../../http/kit.ts'
import { extstoreAccountRoutes } from './account/routes.ts'
import { importRoutes } from './import/routes.ts'
import { extstoreRoutes } from './link/routes.ts'
import { signInRoutes } from './sign-in/routes.ts'
import type { SignIn } from './sign-in/service.ts'

/** Accounts, pages and players of the external store. */
export function extstoreAreaRoutes(kit: HttpKit, deps: Deps, signIn: SignIn) {
  return new Elysia({ name: 'extstore area' })
    .use(extstoreAccountRoutes(kit, deps))
    .use(extstoreRoutes(kit, deps))
    .use(importRoutes(kit, deps))
    .use(signInRoutes(kit, signIn))
}
