import { Elysia } from 'elysia'

import type { Deps } from '../../deps.ts'
import type { Downloads } from '../../features/catalog/downloads/downloads.ts'
import type { HttpKit } from '../../http/kit.ts'
import { channelPageRoutes } from './channel-routes.tsx'
import { mediaRoutes } from './media-routes.tsx'
import { overviewRoutes } from './overview-routes.tsx'
import { pageRoutes } from './page-routes.tsx'
import { projectRoutes } from './project-routes.tsx'

/** Where developers work: their projects, and the tabs of each. */
export function studioPages(kit: HttpKit, deps: Deps, downloads: Downloads) {
  return (
    new Elysia({ name: 'studio-pages' })
      .use(kit)
      .use(projectRoutes(kit, deps))
      .use(overviewRoutes(kit, deps, downloads))
      .use(pageRoutes(kit, deps))
      .use(mediaRoutes(kit, deps))
      .use(channelPageRoutes(kit, deps))
      .get('/studio/:uid', ({ params, redirect }) => redirect(`/studio/${params.uid}/overview`, 303), {
        page: true,
      })
      // A rejected form leaves its address in the browser; opening it again leads to its tab.
      .get(
        '/studio/:uid/:tab/*',
        ({ params, redirect }) => redirect(`/studio/${params.uid}/${params.tab}`, 303),
        {
          page: true,
        },
      )
  )
}
