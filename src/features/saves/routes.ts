import { Elysia } from 'elysia'

import type { Deps } from '../../deps.ts'
import type { HttpKit } from '../../http/kit.ts'
import { saveAccessRoutes } from './access/routes.ts'
import { saveRoutes } from './slots/routes.ts'

/** The saves of players, and what a play page needs to let a web game use them. */
export function saveAreaRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'saves area' }).use(saveRoutes(kit, deps)).use(saveAccessRoutes(kit, deps))
}
