import { Elysia } from 'elysia'

import type { Deps } from '../deps.ts'
import type { Auth } from '../features/accounts/auth.ts'
import { createWebsiteAuth } from '../features/accounts/website.ts'
import type { Downloads } from '../features/catalog/downloads/downloads.ts'
import type { CatalogSearch } from '../features/catalog/search/service.ts'
import type { Operate } from '../features/operate/operate.ts'
import type { HttpKit } from '../http/kit.ts'
import { serveAsset } from '../http/pages.ts'
import { accessPages } from './access-routes.tsx'
import { accountPages } from './account-routes.tsx'
import { SCRIPTS, STYLES } from './assets.ts'
import { bugPages } from './bug-routes.tsx'
import { catalogPages } from './catalog-routes.tsx'
import { engineRoutes } from './engine-routes.ts'
import { frameRoutes } from './frame-routes.ts'
import { invitePages } from './invite-routes.tsx'
import { libraryPages } from './library-routes.tsx'
import { listingPages } from './listing-routes.tsx'
import { operatePages } from './operate-routes.tsx'
import { signInPages } from './sign-in-routes.tsx'
import { createStoreCache } from './store-data.ts'
import { storePages } from './store-routes.tsx'
import type { LiveGames } from './studio/live.ts'
import { studioPages } from './studio/routes.ts'

const internal = { open: true, detail: { hide: true } } as const

/** The services that pages share with other routes. */
interface SiteParts {
  search: CatalogSearch
  downloads: Downloads
  auth: Auth
  operate: Operate
  live: LiveGames
}

/** The website. Its pages call the same services as the API's routes. */
export async function siteRoutes(kit: HttpKit, deps: Deps, parts: SiteParts) {
  const { search, downloads, auth, operate, live } = parts
  const websiteAuth = createWebsiteAuth(deps, auth)
  const site = new Elysia({ name: 'site' })
    .use(kit)
    .use(frameRoutes(kit))
    .use(catalogPages(kit, deps, search))
    .use(engineRoutes(kit, deps, search))
    .use(listingPages(kit, deps))
    .use(storePages(kit, deps, downloads, await createStoreCache(deps)))
    .use(bugPages(kit, deps))
    .use(signInPages(kit, deps, websiteAuth))
    .use(accessPages(kit, deps, websiteAuth))
    .use(accountPages(kit, deps, { auth, websiteAuth }))
    .use(libraryPages(kit, deps))
    .use(invitePages(kit, deps))
    .use(studioPages(kit, deps, downloads, live))
    .use(operatePages(kit, operate))
  for (const asset of [...Object.values(STYLES), ...Object.values(SCRIPTS)])
    site.get(asset.path, serveAsset(asset), internal)
  return site
}
