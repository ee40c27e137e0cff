import { Elysia } from 'elysia'

import type { Deps } from '../deps.ts'
import type { Downloads } from '../features/catalog/downloads/downloads.ts'
import type { CatalogSearch } from '../features/catalog/search/service.ts'
import type { HttpKit } from '../http/kit.ts'
import { serveAsset } from '../http/pages.ts'
import { accountPages } from './account-routes.tsx'
import { SCRIPTS, STYLE } from './assets.ts'
import { catalogPages } from './catalog-routes.tsx'
import { engineRoutes } from './engine-routes.ts'
import { frameRoutes } from './frame-routes.ts'
import { listingPages } from './listing-routes.tsx'
import { storePages } from './store-routes.tsx'

const internal = { open: true, detail: { hide: true } } as const

/** The website. Its pages call the same services as the API's routes. */
export function siteRoutes(kit: HttpKit, deps: Deps, search: CatalogSearch, downloads: Downloads) {
  const site = new Elysia({ name: 'site' })
    .use(kit)
    .get(STYLE.path, serveAsset(STYLE), internal)
    .use(frameRoutes(kit))
    .use(catalogPages(kit, deps, search))
    .use(engineRoutes(kit, deps, search))
    .use(listingPages(kit, deps))
    .use(storePages(kit, deps, downloads))
    .use(accountPages(kit, deps))
  for (const script of Object.values(SCRIPTS)) site.get(script.path, serveAsset(script), internal)
  return site
}
