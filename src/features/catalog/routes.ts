import { Elysia } from 'elysia'

import type { Deps } from '../../deps.ts'
import type { HttpKit } from '../../http/kit.ts'
import { collectionRoutes } from './collections/routes.ts'
import type { Downloads } from './downloads/log.ts'
import { downloadRoutes } from './downloads/routes.ts'
import { followedRoutes } from './followed/routes.ts'
import { installRoutes } from './installs/routes.ts'
import { browseRoutes } from './pages/browse-routes.ts'
import { createListingCache } from './pages/listing-cache.ts'
import { catalogRoutes, LISTING_RESPONSES } from './pages/routes.ts'
import { searchRoutes } from './search/routes.ts'
import type { CatalogSearch } from './search/service.ts'
import { shelfRoutes } from './shelves/routes.ts'

/** What players find and download. */
export async function catalogAreaRoutes(
  kit: HttpKit,
  deps: Deps,
  { search, downloads }: { search: CatalogSearch; downloads: Downloads },
) {
  return new Elysia({ name: 'catalog area' })
    .use(catalogRoutes(kit, deps, await createListingCache(deps, LISTING_RESPONSES)))
    .use(await browseRoutes(kit, deps))
    .use(searchRoutes(kit, search))
    .use(downloadRoutes(kit, downloads))
    .use(installRoutes(kit, downloads))
    .use(shelfRoutes(kit, search))
    .use(collectionRoutes(kit, deps, search))
    .use(followedRoutes(kit, deps))
}
