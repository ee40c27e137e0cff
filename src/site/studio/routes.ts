import { Elysia } from 'elysia'

import type { Deps } from '../../deps.ts'
import type { Downloads } from '../../features/catalog/downloads/downloads.ts'
import type { HttpKit } from '../../http/kit.ts'
import { bugsRoutes } from './bugs/routes.tsx'
import { buildsRoutes } from './builds/routes.tsx'
import { changelogTabRoutes } from './changelog/routes.tsx'
import { channelPageRoutes } from './channels/routes.tsx'
import { compatRoutes } from './compatibility/routes.tsx'
import type { LiveGames } from './frame/live.ts'
import { importPageRoutes } from './import/routes.tsx'
import { insightRoutes } from './insight/routes.tsx'
import { keyTabRoutes } from './keys/routes.tsx'
import { mediaRoutes } from './media/routes.tsx'
import { overviewRoutes } from './overview/routes.tsx'
import { pageRoutes } from './page/routes.tsx'
import { listingSettingsRoutes } from './press/routes.tsx'
import { priceRoutes } from './pricing/routes.tsx'
import { projectRoutes } from './projects/routes.tsx'
import { signInTabRoutes } from './store-sign-in/routes.tsx'
import { accessTabRoutes } from './team/routes.tsx'

/** Where developers work: their projects, and the tabs of each. */
export function studioPages(kit: HttpKit, deps: Deps, downloads: Downloads, live: LiveGames) {
  return (
    new Elysia({ name: 'studio-pages' })
      .use(kit)
      .use(projectRoutes(kit, deps))
      .use(overviewRoutes(kit, deps, downloads))
      .use(pageRoutes(kit, deps))
      .use(mediaRoutes(kit, deps))
      .use(channelPageRoutes(kit, deps))
      .use(accessTabRoutes(kit, deps))
      .use(listingSettingsRoutes(kit, deps))
      .use(priceRoutes(kit, deps))
      .use(keyTabRoutes(kit, deps))
      .use(compatRoutes(kit, deps))
      .use(changelogTabRoutes(kit, deps))
      .use(signInTabRoutes(kit, deps))
      .use(insightRoutes(kit, deps, downloads))
      .use(bugsRoutes(kit, deps))
      .use(importPageRoutes(kit, deps))
      .use(buildsRoutes(kit, deps, downloads, live))
      .get('/studio/:uid', ({ params, redirect }) => redirect(pathOf(params.uid, 'overview'), 303), {
        page: true,
      })
      // A rejected form leaves its address in the browser; opening it again leads to its tab.
      .get('/studio/:uid/:tab/*', ({ params, redirect }) => redirect(pathOf(params.uid, params.tab), 303), {
        page: true,
      })
  )
}

/** The address may hold anything, also what a header may not. */
function pathOf(project: string, tab: string): string {
  return `/studio/${encodeURIComponent(project)}/${encodeURIComponent(tab)}`
}
