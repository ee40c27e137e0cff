import { type AnyElysia, Elysia } from 'elysia'

import type { Deps } from './deps.ts'
import { createAccountCache } from './features/accounts/account-cache.ts'
import { accountAreaRoutes } from './features/accounts/routes.ts'
import { createCredentials } from './features/accounts/sessions/credentials.ts'
import { sessionSource } from './features/accounts/sessions/sessions.ts'
import { type OpenAuth, openAuthLater } from './features/accounts/sign-in/open-auth.ts'
import { agentRoutes } from './features/agents/routes.ts'
import { assetLibraryAreaRoutes } from './features/asset-library/routes.ts'
import { openAssetLibrary } from './features/asset-library/service.ts'
import { bugAreaRoutes } from './features/bugs/routes.ts'
import { buildAreaRoutes, uploadAreaRoutes } from './features/builds/routes.ts'
import { createDownloads } from './features/catalog/downloads/service.ts'
import { catalogAreaRoutes } from './features/catalog/routes.ts'
import { openCatalogSearch } from './features/catalog/search/service.ts'
import { createFollowedReader, type ReadFollowed } from './features/community/follows/followed.ts'
import { type CountUnread, createUnreadCounter } from './features/community/notices/unread.ts'
import { createNoticeWatch } from './features/community/notices/watch.ts'
import { communityRoutes } from './features/community/routes.ts'
import { extstoreAreaRoutes } from './features/extstore/routes.ts'
import { gameKeySources } from './features/extstore/sign-in/credentials.ts'
import { createSignIn, type SignIn } from './features/extstore/sign-in/service.ts'
import { gameAreaRoutes } from './features/games/routes.ts'
import { listingSource } from './features/games/service.ts'
import { createGameWatch } from './features/games/watch.ts'
import { cliRoutes } from './features/installers/routes.ts'
import { createCurrentJams, type CurrentJamsReader } from './features/jams/jams/current.ts'
import { jamAreaRoutes } from './features/jams/routes.ts'
import { listingAreaRoutes } from './features/listings/routes.ts'
import { operatorRoutes } from './features/operate/routes.ts'
import type { RecentRequests } from './features/operate/status/recent-requests.ts'
import { peopleRoutes } from './features/people/routes.ts'
import { createPlayAccess } from './features/play/access/service.ts'
import { createPlayServer, type PlayServer } from './features/play/origin/server.ts'
import { playRoutes } from './features/play/visits/routes.ts'
import { saveVisitSource } from './features/saves/access/visits.ts'
import { saveAreaRoutes } from './features/saves/routes.ts'
import { sellingRoutes } from './features/selling/routes.ts'
import { settingsOf } from './features/settings/reader.ts'
import { storeRoutes } from './features/settings/routes.ts'
import { telemetryRoutes } from './features/telemetry/routes.ts'
import { operatorCheck } from './http/access/auth.ts'
import { createBase } from './http/base.ts'
import { createHttpKit, type HttpKit } from './http/kit.ts'
import { createDocumentReader } from './http/openapi/document.ts'
import { openapiRoutes } from './http/openapi/routes.ts'
import { createReadiness, operationRoutes } from './http/operations.ts'
import { objectLinks } from './http/output/object-links.ts'
import { docsPages } from './site/docs/routes.tsx'
import { failurePages } from './site/kit/error-page.tsx'
import { createLiveStreams } from './site/kit/live/live-streams.ts'
import { siteRoutes } from './site/routes.tsx'

export interface AppOptions {
  isStopping: () => boolean
  /** See `watchPool`. */
  isStuck: () => boolean
  /** Shown on the operators' page. */
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
  const jams = role === 'worker' ? null : await createCurrentJams(deps)
  const pages = failurePages(deps.config.baseUrl, settings.storefront, () => jams?.hasAny() ?? false)
  // Elysia assumes host names of four characters or more otherwise; in a container's network `api` is one.
  const base = new Elysia({ normalize: false, handler: { standardHostname: false } })
    .use(createBase(deps, pages))
    .use(operationRoutes(readReadiness, isStuck))
  if (jams === null) return { app: base, play: null }
  await settings.open()
  const accounts = await createAccountCache(deps)
  const openAuth = openAuthLater(deps)
  const signIn = createSignIn(deps)
  const readFollowed = await createFollowedReader(deps)
  const countUnread = await createUnreadCounter(deps, readFollowed)
  const secondFactorPolicy = async () => (await settings.read()).second_factor
  const sources = {
    secondFactorPolicy,
    storefront: settings.storefront,
    readFollowed,
    hasJams: jams.hasAny,
    countUnread,
    ...createCredentials(deps, accounts),
    ...sessionSource(deps, openAuth, accounts),
    ...gameKeySources(signIn),
    ...saveVisitSource(deps.keyring),
    ...listingSource(deps.db),
  }
  const kit = createHttpKit(deps, sources)
  const app = role === 'api' ? base : base.use(await uploadAreaRoutes(kit, deps))
  const isOperator = operatorCheck(sources)
  const parts = { kit, openAuth, signIn, recent, isStopping, readFollowed, countUnread, isOperator, jams }
  return role === 'upload' ? { app, play: null } : await withApi(app, deps, parts)
}

interface Parts {
  kit: HttpKit
  openAuth: OpenAuth
  signIn: SignIn
  recent: RecentRequests
  isStopping: () => boolean
  readFollowed: ReadFollowed
  jams: CurrentJamsReader
  countUnread: CountUnread
  isOperator(headers: Headers): Promise<boolean>
}

async function withApi(base: App, deps: Deps, parts: Parts): Promise<Composed> {
  const { kit, openAuth, signIn, recent, isStopping, readFollowed, countUnread, isOperator } = parts
  const downloads = createDownloads(deps)
  const access = await createPlayAccess(deps)
  const search = await openCatalogSearch(deps, readFollowed)
  const live = await createLiveStreams(deps, isStopping)
  const watchGames = await createGameWatch(deps.database)
  const watchNotices = await createNoticeWatch(deps, readFollowed)
  const app: App = base.use(objectLinks(deps.objects)).use(cliRoutes(kit, deps))
  const site = { ...parts, search, downloads, access, recent, live, watchGames, watchNotices }
  for (const part of await siteRoutes(kit, deps, site)) app.use(part)
  app
    .use(accountAreaRoutes(kit, deps, openAuth))
    .use(listingAreaRoutes(kit, deps, isOperator))
    .use(gameAreaRoutes(kit, deps))
    .use(await catalogAreaRoutes(kit, deps, { search, downloads }))
    .use(communityRoutes(kit, deps, countUnread))
    .use(peopleRoutes(kit, deps))
    .use(buildAreaRoutes(kit, deps))
    .use(playRoutes(kit, deps, access))
    .use(saveAreaRoutes(kit, deps))
    .use(telemetryRoutes(kit, deps))
    .use(extstoreAreaRoutes(kit, deps, signIn))
    .use(bugAreaRoutes(kit, deps))
    .use(jamAreaRoutes(kit, { deps, loadCards: search.loadCards }))
    .use(agentRoutes(kit, { deps, search }))
    .use(sellingRoutes(kit, deps))
    .use(operatorRoutes(kit, deps, recent))
    .use(storeRoutes(kit, deps))
  const library = await openAssetLibrary(deps, search.engine)
  app.use(assetLibraryAreaRoutes(kit, library, downloads))
  const { baseUrl } = deps.config
  const readDocument = createDocumentReader(app, baseUrl, () => settingsOf(deps).storefront().settings.name)
  app.use(openapiRoutes(kit, baseUrl, readDocument)).use(docsPages(kit, baseUrl, readDocument))
  return { app, play: createPlayServer(deps, access, downloads.log) }
}
