import { Elysia } from 'elysia'

import type { HttpKit } from '../../http/kit.ts'
import { jamCodeRoutes } from './codes/routes.ts'
import type { EntrySource } from './entries/list.ts'
import { jamEntryRoutes } from './entries/routes.ts'
import { jamCoverRoutes, jamRoutes, publicJamRoutes } from './jams/routes.ts'
import { jamMemberRoutes } from './members/routes.ts'
import { ratingRoutes } from './rating/routes.ts'
import { hostResultRoutes, publicResultRoutes } from './results/routes.ts'
import { voteRoutes } from './votes/routes.ts'

/** Jams: a theme, a deadline, entries that are pinned, ratings and results. */
export function jamAreaRoutes(kit: HttpKit, source: EntrySource) {
  const { deps } = source
  return new Elysia({ name: 'jams area' })
    .use(publicJamRoutes(kit, deps))
    .use(jamRoutes(kit, deps))
    .use(jamCoverRoutes(kit, deps))
    .use(jamMemberRoutes(kit, deps))
    .use(jamCodeRoutes(kit, deps))
    .use(ratingRoutes(kit, deps))
    .use(publicResultRoutes(kit, deps))
    .use(hostResultRoutes(kit, deps))
    .use(voteRoutes(kit, deps))
    .use(jamEntryRoutes(kit, source))
}
