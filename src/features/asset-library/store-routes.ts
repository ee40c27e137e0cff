import { createRoutes, type HttpKit } from '../../http/kit.ts'
import { ALWAYS_ASK, describeCache, sendPrepared } from '../../http/output/caching.ts'
import { prepareJson } from '../../lib/net/prepared-response.ts'
import { settingsOf } from '../settings/reader.ts'
import {
  StoreAsset,
  StoreHits,
  StoreIndex,
  StoreLicenses,
  StoreParameters,
  StoreReleases,
  StoreTags,
  TAGS_FEATURED,
  TAGS_SHOWN,
  TagsQuery,
} from './model.ts'
import { cacheQueries, parseStoreQuery, tagsQuery } from './package-query.ts'
import { STORE_LICENSES, toHits, toReleases, toStoreAsset, toTag } from './responses.ts'
import { type AssetLibrary, listOwned, type PackageDetails } from './service.ts'

const tags = ['Asset library']
const access = () => ({ limit: 'asset_library', visitor: true }) as const
const describe = (summary: string, isHidden = false) => ({
  tags,
  summary: `${summary} (Godot 4.7 and newer)`,
  hide: isHidden,
  ...describeCache(ALWAYS_ASK),
})

/** The protocol of Godot editors from 4.7 on, whose addresses end with a slash. */
export function assetStoreRoutes(kit: HttpKit, library: AssetLibrary, prefix: string) {
  const { baseUrl } = library.deps.config
  const readQuery = cacheQueries(parseStoreQuery)
  const readName = () => settingsOf(library.deps).storefront().settings.name

  type Show = (baseUrl: string, found: PackageDetails) => unknown
  const readBySlug = (slug: string, as: string, show: Show) =>
    library.read(slug, as, (found) => show(baseUrl, found))

  const app = createRoutes(kit, { name: `asset-store ${prefix}`, prefix })
    .get(
      '',
      ({ request, set }) =>
        sendPrepared(prepareJson({ name: readName(), url: baseUrl }), request, set, ALWAYS_ASK),
      { ...access(), response: StoreIndex, detail: describe('Check that this is an asset store') },
    )
    .get(
      '/tags',
      async ({ query, request, set }) => {
        const { facets } = await library.engine.search(tagsQuery())
        const shown = query.featured_only === 'true' ? TAGS_FEATURED : TAGS_SHOWN
        const common = (facets.tags ?? []).slice(0, shown).map(({ value }) => toTag(value))
        return sendPrepared(prepareJson(common.toReversed()), request, set, ALWAYS_ASK)
      },
      { ...access(), query: TagsQuery, response: StoreTags, detail: describe('Tags of packages') },
    )
    .get(
      '/licenses',
      ({ request, set }) => sendPrepared(prepareJson(STORE_LICENSES), request, set, ALWAYS_ASK),
      { ...access(), response: StoreLicenses, detail: describe('Licences of packages') },
    )
    .get(
      '/search/query',
      async ({ actor, request, set }) => {
        const ownedUids = await listOwned(library.deps, actor)
        const { query, kind } = readQuery(request.url, ownedUids)
        const prepared = await library.search({
          as: 'store',
          query,
          kind,
          ownedUids,
          show: (packages, total) => toHits(baseUrl, packages, total),
        })
        return sendPrepared(prepared, request, set, ALWAYS_ASK)
      },
      { ...access(), query: StoreParameters, response: StoreHits, detail: describe('Search packages') },
    )

  // Editors leave the publisher out of the address of any store but the official one.
  for (const publisher of [':publisher', '']) {
    app
      .get(
        `/assets/${publisher}/:slug`,
        async ({ params, request, set }) => {
          const prepared = await readBySlug(params.slug, 'store', toStoreAsset)
          return sendPrepared(prepared, request, set, ALWAYS_ASK)
        },
        { ...access(), response: StoreAsset, detail: describe('One package', publisher === '') },
      )
      .get(
        `/releases/${publisher}/:slug`,
        async ({ params, request, set }) => {
          const prepared = await readBySlug(params.slug, 'releases', toReleases)
          return sendPrepared(prepared, request, set, ALWAYS_ASK)
        },
        { ...access(), response: StoreReleases, detail: describe('Releases of a package', publisher === '') },
      )
  }
  return app
}
