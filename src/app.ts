import { type AnyElysia, Elysia } from 'elysia'

import { operatorRoutes } from './app-operate.ts'
import { sellingRoutes } from './app-selling.ts'
import type { Deps } from './deps.ts'
import { ASSET_LIBRARY_ALIAS, ASSET_LIBRARY_PATH } from './domain/site-urls.ts'
import { createAccountCache } from './features/accounts/account-cache.ts'
import { factorRoutes } from './features/accounts/factors/factor-routes.ts'
import { accountRoutes } from './features/accounts/routes.ts'
import { createCredentials } from './features/accounts/sessions/credentials.ts'
import { sessionSource } from './features/accounts/sessions/sessions.ts'
import { authRoutes } from './features/accounts/sign-in/auth-routes.ts'
import { type OpenAuth, openAuthLater } from './features/accounts/sign-in/open-auth.ts'
import { createWebsiteAuth } from './features/accounts/sign-in/website.ts'
import { agentRoutes } from './features/agents/routes.ts'
import { assetLibraryRoutes } from './features/asset-library/routes.ts'
import { openAssetLibrary } from './features/asset-library/service.ts'
import { assetStoreRoutes } from './features/asset-library/store-routes.ts'
import { noticeRoutes } from './features/bugs/notices/routes.ts'
import { bugReportRoutes } from './features/bugs/reports/routes.ts'
import { screenshotRoutes } from './features/bugs/screenshots/routes.ts'
import { bugReporterRoutes } from './features/bugs/settings/routes.ts'
import { ticketRoutes } from './features/bugs/tickets/routes.ts'
import { webhookRoutes } from './features/bugs/webhooks/routes.ts'
import { statementKeyRoutes } from './features/builds/attestations/routes.ts'
import { bundleCheckRoutes } from './features/builds/bundle-check/routes.ts'
import { channelRoutes } from './features/builds/channels/routes.ts'
import { deployKeyRoutes } from './features/builds/deploy-keys/routes.ts'
import { modCompatRoutes } from './features/builds/mod-compat/routes.ts'
import { createExchange } from './features/builds/publishers/exchange.ts'
import { publisherRoutes, tokenRoutes } from './features/builds/publishers/routes.ts'
import { buildRoutes } from './features/builds/registry/routes.ts'
import { scanRoutes } from './features/builds/scans/routes.ts'
import { toolEntryRoutes } from './features/builds/scans/tool-routes.ts'
import { symbolRoutes } from './features/builds/symbols/routes.ts'
import { symbolUploadRoutes } from './features/builds/symbols/upload-routes.ts'
import {
  toolUploadRoutes,
  uploadProjectRoutes,
  websiteUploadRoutes,
} from './features/builds/uploads/routes.ts'
import { createUploads } from './features/builds/uploads/service.ts'
import { collectionRoutes } from './features/catalog/collections/routes.ts'
import { createDownloads } from './features/catalog/downloads/downloads.ts'
import { downloadRoutes } from './features/catalog/downloads/routes.ts'
import { installRoutes } from './features/catalog/installs/routes.ts'
import { browseRoutes } from './features/catalog/pages/browse-routes.ts'
import { createListingCache } from './features/catalog/pages/listing-cache.ts'
import { catalogRoutes, LISTING_RESPONSES } from './features/catalog/pages/routes.ts'
import { searchRoutes } from './features/catalog/search/routes.ts'
import { openCatalogSearch } from './features/catalog/search/service.ts'
import { shelfRoutes } from './features/catalog/shelves/routes.ts'
import { libraryRoutes } from './features/community/library/routes.ts'
import { reportRoutes } from './features/community/reports/routes.ts'
import { reviewRoutes } from './features/community/reviews/routes.ts'
import { communityTagRoutes } from './features/community/tags/routes.ts'
import { extstoreAccountRoutes } from './features/extstore/account/routes.ts'
import { importRoutes } from './features/extstore/import/routes.ts'
import { extstoreRoutes } from './features/extstore/link/routes.ts'
import { gameKeySources } from './features/extstore/sign-in/game-key-sources.ts'
import { signInRoutes } from './features/extstore/sign-in/routes.ts'
import { createSignIn, type SignIn } from './features/extstore/sign-in/service.ts'
import { historyRoutes } from './features/games/history-routes.ts'
import { listingSource } from './features/games/service.ts'
import { createGameWatch } from './features/games/watch.ts'
import { cliRoutes } from './features/installers/routes.ts'
import { changelogRoutes } from './features/listings/changelog/routes.ts'
import { mediaRoutes } from './features/listings/images/media-routes.ts'
import { imageRoutes } from './features/listings/images/routes.ts'
import { toolImageRoutes } from './features/listings/images/tool-routes.ts'
import { listingRoutes } from './features/listings/page/routes.ts'
import { pressRoutes } from './features/listings/press/routes.ts'
import { pricingRoutes } from './features/listings/pricing/routes.ts'
import { storeLinkRoutes } from './features/listings/store-links/routes.ts'
import { teamRoutes } from './features/listings/team/routes.ts'
import type { RecentRequests } from './features/operate/recent-requests.ts'
import { createPlayAccess } from './features/play/access/service.ts'
import { createPlayServer, type PlayServer } from './features/play/origin/server.ts'
import { playRoutes } from './features/play/visits/routes.ts'
import { settingsOf } from './features/settings/reader.ts'
import { storeRoutes } from './features/settings/routes.ts'
import { crashRoutes } from './features/telemetry/crashes/routes.ts'
import { healthRoutes } from './features/telemetry/health/routes.ts'
import { ingestRoutes } from './features/telemetry/ingest/routes.ts'
import { operatorCheck } from './http/access/auth.ts'
import { createBase } from './http/base.ts'
import { createHttpKit, type HttpKit } from './http/kit.ts'
import { createDocumentReader } from './http/openapi/document.ts'
import { openapiRoutes } from './http/openapi/routes.ts'
import { operationRoutes } from './http/operations/routes.ts'
import { createReadiness } from './http/operations/service.ts'
import { objectLinks } from './http/output/object-links.ts'
import { docsPages } from './site/docs/routes.tsx'
import { failurePages } from './site/kit/error-page.tsx'
import { siteRoutes } from './site/routes.tsx'
import { createLiveGames } from './site/studio/frame/live.ts'

export interface AppOptions {
  isStopping: () => boolean
  /** See `watchPool`. */
  isStuck: () => boolean
  /** For the page of the operators. */
  recent: RecentRequests
}

export type App = AnyElysia

export interface Composed {
  app: App
  /** Null for roles that serve no games: their hosts then answer 404 only. */
  play: PlayServer | null
}

/**
 * Composes the features without listening. Each route belongs to one role: `api`, or `upload` for those under
 * UPLOAD_URL.
 */
export async function createApp(deps: Deps, { isStopping, isStuck, recent }: AppOptions): Promise<Composed> {
  const { role } = deps.config
  const settings = settingsOf(deps)
  const readReadiness = createReadiness(deps, isStopping)
  // Elysia assumes host names of four characters or more otherwise; in a container's network `api` is one.
  const base = new Elysia({ normalize: false, handler: { standardHostname: false } })
    .use(createBase(deps, failurePages(deps.config.baseUrl, settings.storefront)))
    .use(operationRoutes(readReadiness, isStuck))
  if (role === 'worker') return { app: base, play: null }
  await settings.open()
  const accounts = await createAccountCache(deps)
  const openAuth = openAuthLater(deps)
  const signIn = createSignIn(deps)
  const secondFactorPolicy = async () => (await settings.read()).second_factor
  const sources = {
    secondFactorPolicy,
    storefront: settings.storefront,
    ...createCredentials(deps, accounts),
    ...sessionSource(deps, openAuth, accounts),
    ...gameKeySources(signIn),
    ...listingSource(deps.db),
  }
  const kit = createHttpKit(deps, sources)
  const app = role === 'api' ? base : await withUploads(base, kit, deps)
  const parts = { kit, openAuth, signIn, recent, isStopping, isOperator: operatorCheck(sources) }
  return role === 'upload' ? { app, play: null } : await withApi(app, deps, parts)
}

/** Receives files of any size, from pipelines and from the website. */
async function withUploads(base: App, kit: HttpKit, deps: Deps): Promise<App> {
  const uploads = await createUploads(deps)
  return base
    .use(toolUploadRoutes(kit, uploads))
    .use(websiteUploadRoutes(kit, uploads))
    .use(toolEntryRoutes(kit, deps))
    .use(symbolUploadRoutes(kit, deps))
}

interface Parts {
  kit: HttpKit
  openAuth: OpenAuth
  signIn: SignIn
  recent: RecentRequests
  isStopping: () => boolean
  isOperator(headers: Headers): Promise<boolean>
}

async function withApi(base: App, deps: Deps, parts: Parts): Promise<Composed> {
  const { kit, openAuth, signIn, recent, isStopping, isOperator } = parts
  const operate = { deps, recent }
  const downloads = createDownloads(deps)
  const access = await createPlayAccess(deps)
  const search = await openCatalogSearch(deps)
  const live = await createLiveGames(deps, await createGameWatch(deps.database), isStopping)
  const app: App = base.use(objectLinks(deps.store)).use(cliRoutes(kit, deps))
  for (const part of await siteRoutes(kit, deps, { ...parts, search, downloads, access, operate, live }))
    app.use(part)
  app
    .use(authRoutes(kit, deps, openAuth))
    .use(accountRoutes(kit, deps, openAuth))
    .use(factorRoutes(kit, deps, createWebsiteAuth(deps, openAuth)))
    .use(extstoreAccountRoutes(kit, deps))
    .use(listingRoutes(kit, deps))
    .use(historyRoutes(kit, deps))
    .use(catalogRoutes(kit, deps, await createListingCache(deps, LISTING_RESPONSES)))
    .use(await browseRoutes(kit, deps))
    .use(searchRoutes(kit, search))
    .use(imageRoutes(kit, deps))
    .use(mediaRoutes(deps, isOperator))
    .use(teamRoutes(kit, deps))
    .use(pricingRoutes(kit, deps))
    .use(changelogRoutes(kit, deps))
    .use(storeLinkRoutes(kit, deps))
    .use(pressRoutes(kit, deps))
    .use(libraryRoutes(kit, deps))
    .use(reviewRoutes(kit, deps))
    .use(reportRoutes(kit, deps))
    .use(communityTagRoutes(kit, deps))
    .use(deployKeyRoutes(kit, deps))
    .use(publisherRoutes(kit, deps))
    .use(tokenRoutes(kit, createExchange(deps)))
    .use(buildRoutes(kit, deps))
    .use(uploadProjectRoutes(kit, deps))
    .use(channelRoutes(kit, deps))
    .use(scanRoutes(kit, deps))
    .use(statementKeyRoutes(kit, deps))
    .use(downloadRoutes(kit, downloads))
    .use(installRoutes(kit, downloads))
    .use(playRoutes(kit, deps, access))
    .use(symbolRoutes(kit, deps))
    .use(toolImageRoutes(kit, deps))
    .use(bundleCheckRoutes(kit, deps))
    .use(modCompatRoutes(kit, deps))
    .use(ingestRoutes(kit, deps))
    .use(crashRoutes(kit, deps))
    .use(healthRoutes(kit, deps))
    .use(shelfRoutes(kit, search))
    .use(collectionRoutes(kit, deps, search))
    .use(extstoreRoutes(kit, deps))
    .use(importRoutes(kit, deps))
    .use(signInRoutes(kit, signIn))
    .use(bugReporterRoutes(kit, deps))
    .use(bugReportRoutes(kit, deps))
    .use(ticketRoutes(kit, deps))
    .use(noticeRoutes(kit, deps))
    .use(webhookRoutes(kit, deps))
    .use(screenshotRoutes(deps))
    .use(agentRoutes(kit, { deps, search }))
    .use(sellingRoutes(kit, deps))
    .use(operatorRoutes(kit, operate))
    .use(storeRoutes(kit, deps))
  const library = await openAssetLibrary(deps, search.engine)
  for (const prefix of [ASSET_LIBRARY_PATH, ASSET_LIBRARY_ALIAS])
    app.use(assetLibraryRoutes(kit, library, downloads, prefix)).use(assetStoreRoutes(kit, library, prefix))
  const { baseUrl } = deps.config
  const readDocument = createDocumentReader(app, baseUrl, () => settingsOf(deps).storefront().settings.name)
  app.use(openapiRoutes(kit, baseUrl, readDocument)).use(docsPages(kit, baseUrl, readDocument))
  return { app, play: createPlayServer(deps, access, downloads.log) }
}
