import { Elysia } from 'elysia'

import type { Deps } from '../deps.ts'
import type { Auth } from '../features/accounts/auth.ts'
import type { Credentials } from '../features/accounts/credentials.ts'
import { createWebsiteAuth } from '../features/accounts/website.ts'
import type { Downloads } from '../features/catalog/downloads/downloads.ts'
import type { CatalogSearch } from '../features/catalog/search/service.ts'
import type { HttpKit } from '../http/kit.ts'
import { serveAsset } from '../http/pages.ts'
import { accessPages } from './access-routes.tsx'
import { accountPages } from './account-routes.tsx'
import { SCRIPTS, STYLES } from './assets.ts'
import { catalogPages } from './catalog-routes.tsx'
import { engineRoutes } from './engine-routes.ts'
import { frameRoutes } from './frame-routes.ts'
import { invitePages } from './invite-routes.tsx'
import { libraryPages } from './library-routes.tsx'
import { listingPages } from './listing-routes.tsx'
import { signInPages } from './sign-in-routes.tsx'
import { storePages } from './store-routes.tsx'
import type { LiveGames } from './studio/live.ts'
import { studioPages } from './studio/routes.ts'

const internal = { open: true, detail: { hide: true } } as const

/** The website. Its pages call the same services as the API's routes. */
export function siteRoutes(
  kit: HttpKit,
  deps: Deps,
  search: CatalogSearch,
  downloads: Downloads,
  accounts: { auth: Auth; credentials: Credentials },
  live: LiveGames,
) {
  const websiteAuth = createWebsiteAuth(deps, accounts.auth)
  const site = new Elysia({ name: 'site' })
    .use(kit)
    .use(frameRoutes(kit))
    .use(catalogPages(kit, deps, search))
    .use(engineRoutes(kit, deps, search))
    .use(listingPages(kit, deps))
    .use(storePages(kit, deps, downloads))
    .use(signInPages(kit, deps, websiteAuth))
    .use(accessPages(kit, deps, websiteAuth))
    .use(accountPages(kit, deps, { ...accounts, websiteAuth }))
    .use(libraryPages(kit, deps))
    .use(invitePages(kit, deps))
    .use(studioPages(kit, deps, downloads, live))
  for (const asset of [...Object.values(STYLES), ...Object.values(SCRIPTS)])
    site.get(asset.path, serveAsset(asset), internal)
  return site
}
