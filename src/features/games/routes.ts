import type { Deps } from '../../deps.ts'
import { listOf, ok } from '../../http/input/schema.ts'
import { createRoutes, type HttpKit } from '../../http/kit.ts'
import { parsePage } from '../../lib/paging.ts'
import { Change } from './history-model.ts'
import { listHistory } from './service.ts'

/** The record of deletions, which most areas write to. */
export function gameAreaRoutes(kit: HttpKit, deps: Deps) {
  return createRoutes(kit, {
    name: 'games area',
    prefix: '/api/v1/private/games/:uid',
    tags: ['Listings'],
  }).get(
    '/history',
    async ({ actor, params, query }) => ok(await listHistory(deps, actor, params.uid, parsePage(query))),
    {
      website: true,
      ...listOf(Change),
      summary: 'Who deleted what, newest first; the moves of channels have their own history',
    },
  )
}
