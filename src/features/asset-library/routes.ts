import { Elysia } from 'elysia'

import { ASSET_LIBRARY_ALIAS, ASSET_LIBRARY_PATH } from '../../domain/site-urls.ts'
import { createRoutes, type HttpKit } from '../../http/kit.ts'
import { ALWAYS_ASK, describeCache, sendPrepared } from '../../http/output/caching.ts'
import { prepareJson } from '../../lib/net/prepared-response.ts'
import { DOWNLOAD_REFUSALS, recordRefusals } from '../catalog/downloads/refusals.ts'
import type { Downloads } from '../catalog/downloads/service.ts'
import { Configuration, ConfigureQuery, LibraryAsset, LibraryPage, LibraryParameters } from './model.ts'
import { cacheQueries, parseLibraryQuery } from './package-query.ts'
import { toAsset, toConfiguration, toPage } from './responses.ts'
import { type AssetLibrary, findFileOf, linkPackage, listOwned, parseAssetId } from './service.ts'
import { assetStoreRoutes } from './store-routes.ts'

const tags = ['Asset library']
const REDIRECT = { description: '`Location` is a link to the zip, valid for five minutes.' }

/** Both protocols of Godot editors, at both addresses of the library. */
export function assetLibraryAreaRoutes(kit: HttpKit, library: AssetLibrary, downloads: Downloads) {
  const app = new Elysia({ name: 'asset-library area', tags })
  for (const prefix of [ASSET_LIBRARY_PATH, ASSET_LIBRARY_ALIAS])
    app.use(assetLibraryRoutes(kit, library, downloads, prefix)).use(assetStoreRoutes(kit, library, prefix))
  return app
}

/** The protocol of Godot editors from 3.0 to 4.6. */
function assetLibraryRoutes(kit: HttpKit, library: AssetLibrary, downloads: Downloads, prefix: string) {
  const { deps } = library
  const { baseUrl } = deps.config
  const readQuery = cacheQueries(parseLibraryQuery)
  return createRoutes(kit, { name: `asset-library ${prefix}`, prefix })
    .get(
      '/configure',
      ({ query, request, set }) =>
        sendPrepared(prepareJson(toConfiguration(baseUrl, query.type)), request, set, ALWAYS_ASK),
      {
        limit: 'asset_library',
        visitor: true,
        query: ConfigureQuery,
        response: Configuration,
        summary: 'Editor categories and sign-in details',
        detail: describeCache(ALWAYS_ASK),
      },
    )
    .get(
      '/asset',
      async ({ actor, request, set }) => {
        const ownedUids = await listOwned(deps, actor)
        const { query, kind, page, pageLength } = readQuery(request.url, ownedUids)
        const prepared = query
          ? await library.search({
              as: `library ${page} ${pageLength}`,
              query,
              kind,
              ownedUids,
              show: (packages, total) => toPage(packages, { page, pageLength, total }),
            })
          : prepareJson(toPage([], { page, pageLength, total: 0 }))
        return sendPrepared(prepared, request, set, ALWAYS_ASK)
      },
      {
        limit: 'asset_library',
        visitor: true,
        query: LibraryParameters,
        response: LibraryPage,
        summary: 'Search editor packages',
        detail: describeCache(ALWAYS_ASK),
      },
    )
    .get(
      '/asset/:asset_id',
      async ({ params, request, set }) => {
        const id = parseAssetId(params.asset_id)
        const prepared = await library.read(id, 'library', (found) => toAsset(baseUrl, found))
        return sendPrepared(prepared, request, set, ALWAYS_ASK)
      },
      {
        limit: 'asset_library',
        visitor: true,
        response: LibraryAsset,
        summary: 'One package',
        detail: describeCache(ALWAYS_ASK),
      },
    )
    .get(
      '/asset/:asset_id/download',
      async ({ actor, params, request, set, redirect }) => {
        set.headers['cache-control'] = 'no-store'
        return redirect(await linkPackage(downloads, actor, params.asset_id, request.headers), 302)
      },
      {
        onFailure: recordRefusals(downloads, 'asset_library', (params) =>
          findFileOf(downloads, String(Reflect.get(params, 'asset_id'))),
        ),
        limit: 'asset_library_download',
        visitor: true,
        summary: 'Redirect to the package zip',
        fails: DOWNLOAD_REFUSALS,
        detail: { responses: { 302: REDIRECT } },
      },
    )
}
