import type { AnyElysia } from 'elysia'

import type { Deps } from '../deps.ts'
import type { OpenAuth } from '../features/accounts/sign-in/open-auth.ts'
import { createWebsiteAuth } from '../features/accounts/sign-in/website.ts'
import type { Downloads } from '../features/catalog/downloads/service.ts'
import type { CatalogSearch } from '../features/catalog/search/service.ts'
import type { WatchNotices } from '../features/community/notices/watch.ts'
import type { GameWatch } from '../features/games/watch.ts'
import type { CurrentJamsReader } from '../features/jams/jams/current.ts'
import type { RecentRequests } from '../features/operate/status/recent-requests.ts'
import type { PlayAccess } from '../features/play/access/service.ts'
import { createRoutes, type HttpKit } from '../http/kit.ts'
import { serveAsset } from '../http/output/pages.ts'
import { followPages } from './account/follows/routes.tsx'
import { invitePages } from './account/invite-routes.tsx'
import { libraryPages } from './account/library-routes.tsx'
import { mailPages } from './account/mails/routes.tsx'
import { noticePages } from './account/notices/routes.tsx'
import { accessPages } from './account/program-routes.tsx'
import { accountPages } from './account/routes.tsx'
import { savePages } from './account/saves/routes.tsx'
import { signInPages } from './account/sign-in-routes.tsx'
import { collectionPages } from './catalog/collection-routes.tsx'
import { pickerRoutes } from './catalog/picker-routes.tsx'
import { catalogPages } from './catalog/routes.tsx'
import { suggestionRoutes } from './catalog/suggestion-routes.tsx'
import { newsRoutes } from './crawlers/news-routes.ts'
import { crawlerRoutes } from './crawlers/routes.ts'
import { jamEntryPages } from './jams/entries/routes.tsx'
import { jamManagePages } from './jams/manage-routes.tsx'
import { jamRatingPages } from './jams/rating/routes.tsx'
import { jamResultPages } from './jams/results/routes.tsx'
import { jamPages } from './jams/routes.tsx'
import { SCRIPTS, STYLES } from './kit/assets.ts'
import { frameRoutes } from './kit/frame-routes.ts'
import type { LiveStreams } from './kit/live/live-streams.ts'
import { listingPages } from './listing/community-routes.tsx'
import { embedRoutes } from './listing/embed/routes.tsx'
import { orderPages } from './listing/orders/routes.tsx'
import { playPages } from './listing/play/routes.tsx'
import { createStoreCache } from './listing/read-store.ts'
import { redeemPages } from './listing/redeem/routes.tsx'
import { bugPages } from './listing/reports/bug-report-routes.tsx'
import { storePages } from './listing/routes.tsx'
import { operatePages } from './operate/routes.tsx'
import { setupPages } from './operate/setup-pages.tsx'
import { payoutPages } from './studio/payouts/routes.tsx'
import { studioPages } from './studio/routes.tsx'
import { salesPages } from './studio/sales/routes.tsx'

const internal = () => ({ open: true, detail: { hide: true } }) as const

/** The services that pages share with other routes. */
interface SiteParts {
  search: CatalogSearch
  downloads: Downloads
  access: PlayAccess
  openAuth: OpenAuth
  recent: RecentRequests
  live: LiveStreams
  watchGames: GameWatch
  watchNotices: WatchNotices
  jams: CurrentJamsReader
}

/**
 * The website. Its pages call the same services as the API's routes. Returned as a list, because each level
 * of composition registers every route again, which slows the start.
 */
export async function siteRoutes(kit: HttpKit, deps: Deps, parts: SiteParts): Promise<AnyElysia[]> {
  const { search, downloads, access, openAuth, recent, live, watchGames, watchNotices, jams } = parts
  const websiteAuth = createWebsiteAuth(deps, openAuth)
  const stores = await createStoreCache(deps)
  return [
    frameRoutes(kit, deps),
    catalogPages(kit, deps, search, jams),
    collectionPages(kit, deps, search),
    pickerRoutes(kit, deps, search),
    suggestionRoutes(kit, search),
    crawlerRoutes(kit, deps, search),
    newsRoutes(kit, deps),
    listingPages(kit, deps),
    storePages(kit, deps, downloads, stores),
    embedRoutes(kit, deps, stores),
    playPages(kit, deps, access),
    bugPages(kit, deps),
    signInPages(kit, deps, websiteAuth),
    accessPages(kit, deps, websiteAuth),
    accountPages(kit, deps, websiteAuth),
    libraryPages(kit, deps),
    savePages(kit, deps),
    followPages(kit, deps),
    jamPages(kit, deps),
    jamManagePages(kit, deps),
    jamRatingPages(kit, deps),
    jamResultPages(kit, deps),
    jamEntryPages(kit, { deps, loadCards: search.loadCards }),
    noticePages(kit, deps, { live, watchNotices }),
    mailPages(kit, deps),
    redeemPages(kit, deps),
    orderPages(kit, deps),
    payoutPages(kit, deps),
    salesPages(kit, deps),
    invitePages(kit, deps),
    ...studioPages(kit, deps, downloads, { ...watchGames, live }),
    operatePages(kit, deps, recent),
    setupPages(kit, deps),
    assetRoutes(kit),
  ]
}

function assetRoutes(kit: HttpKit): AnyElysia {
  const assets = createRoutes(kit)
  for (const asset of [...Object.values(STYLES), ...Object.values(SCRIPTS)])
    assets.get(asset.path, serveAsset(asset), internal())
  return assets
}
