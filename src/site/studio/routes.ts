import { type AnyElysia, Elysia } from 'elysia'

import type { Deps } from '../../deps.ts'
import type { Downloads } from '../../features/catalog/downloads/log.ts'
import type { HttpKit } from '../../http/kit.ts'
import { bugsRoutes } from './bugs/routes.tsx'
import { buildsRoutes, type LiveGames } from './builds/routes.tsx'
import { changelogTabRoutes } from './changelog/routes.tsx'
import { channelPageRoutes } from './channels/routes.tsx'
import { compatRoutes } from './compatibility/routes.tsx'
import { importPageRoutes } from './import/routes.tsx'
import { insightRoutes } from './insight/routes.tsx'
import { jamsTabRoutes } from './jams/routes.tsx'
import { keyTabRoutes } from './keys/routes.tsx'
import { mediaRoutes } from './media/routes.tsx'
import { overviewRoutes } from './overview/routes.tsx'
import { pageRoutes } from './page/routes.tsx'
import { postsTabRoutes } from './posts/routes.tsx'
import { listingSettingsRoutes } from './press/routes.tsx'
import { priceRoutes } from './pricing/routes.tsx'
import { projectRoutes } from './projects/routes.tsx'
import { savesTabRoutes } from './saves/routes.tsx'
import { signInTabRoutes } from './store-sign-in/routes.tsx'
import { accessTabRoutes } from './team/routes.tsx'

/** The developers' pages: their projects, and the tabs of each. */
export function studioPages(kit: HttpKit, deps: Deps, downloads: Downloads, games: LiveGames): AnyElysia[] {
  return [
    projectRoutes(kit, deps),
    overviewRoutes(kit, deps, downloads),
    pageRoutes(kit, deps),
    mediaRoutes(kit, deps),
    channelPageRoutes(kit, deps),
    accessTabRoutes(kit, deps),
    listingSettingsRoutes(kit, deps),
    priceRoutes(kit, deps),
    keyTabRoutes(kit, deps),
    compatRoutes(kit, deps),
    changelogTabRoutes(kit, deps),
    postsTabRoutes(kit, deps),
    jamsTabRoutes(kit, deps),
    savesTabRoutes(kit, deps),
    signInTabRoutes(kit, deps),
    insightRoutes(kit, deps, downloads),
    bugsRoutes(kit, deps),
    importPageRoutes(kit, deps),
    buildsRoutes(kit, deps, downloads, games),
    entryRoutes(kit),
  ]
}

function entryRoutes(kit: HttpKit): AnyElysia {
  return (
    new Elysia()
      .use(kit)
      .get('/studio/:uid', ({ params, redirect }) => redirect(pathOf(params.uid, 'overview'), 303), {
        page: true,
      })
      // A rejected form leaves its address in the browser; opening it again leads to its tab.
      .get('/studio/:uid/:tab/*', ({ params, redirect }) => redirect(pathOf(params.uid, params.tab), 303), {
        page: true,
      })
  )
}

/** Encodes the parts, because the requested address may contain characters that no header allows. */
function pathOf(project: string, tab: string): string {
  return `/studio/${encodeURIComponent(project)}/${encodeURIComponent(tab)}`
}
