import { Elysia } from 'elysia'

import type { Deps } from '../deps.ts'
import { listListings } from '../features/listings/page/service.ts'
import type { HttpKit } from '../http/kit.ts'
import { readPage } from '../lib/paging.ts'
import { ProjectsPage } from './pages/studio/projects.tsx'
import { show } from './render.ts'
import { signInPath } from './signed-in.ts'

/** What developers work on. */
export function studioPages(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'studio-pages' }).use(kit).get(
    '/studio',
    async ({ visit, query, set, redirect }) => {
      if (visit.actor.kind !== 'user') return redirect(signInPath(visit), 303)
      const projects = await listListings(deps, visit.actor, readPage({ page_size: '50', ...query }))
      return show(visit, set, <ProjectsPage visit={visit} projects={projects} />)
    },
    { page: true },
  )
}
