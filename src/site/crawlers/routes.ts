import type { Deps } from '../../deps.ts'
import { derivePalette } from '../../domain/palette.ts'
import { collectionUrl } from '../../domain/site-urls.ts'
import type { Storefront } from '../../domain/storefront.ts'
import { AppError } from '../../errors.ts'
import { loadCollection, toSummary } from '../../features/catalog/collections/service.ts'
import type { Card } from '../../features/catalog/pages/model.ts'
import {
  listSitemapParts,
  loadSitemapPart,
  parseSitemapCursor,
  type SitemapEntry,
} from '../../features/catalog/pages/sitemap.ts'
import { SearchRequest } from '../../features/catalog/search/request.ts'
import { type CatalogSearch, searchCatalog } from '../../features/catalog/search/service.ts'
import { FEED_ENTRIES } from '../../features/community/feeds/service.ts'
import { listJamAddresses } from '../../features/jams/jams/news.ts'
import { loadNewestChangeOf } from '../../features/listings/changelog/service.ts'
import { settingsOf } from '../../features/settings/reader.ts'
import { ICON_SIDES, imagePath } from '../../features/settings/storefront.ts'
import { createRoutes, type HttpKit } from '../../http/kit.ts'
import { sendFeed, sendText } from '../../http/output/pages.ts'
import { BoundedCache } from '../../lib/cache/bounded-cache.ts'
import { faviconPath } from '../components/brand.tsx'
import {
  type FeedFacts,
  writeFeed,
  writeRobots,
  writeSecurityContact,
  writeSitemap,
  writeSitemapIndex,
} from './robots-sitemap-feed.ts'

const ROBOTS_SECONDS = 60
const PUBLIC = { isPrivate: false }
/** Cached, because reading the whole catalog for the list of parts takes a while. */
const PARTS_LIFETIME_MS = 5 * 60 * 1000
const PARTS_BYTES = 1024 ** 2
const internal = () => ({ open: true, detail: { hide: true } }) as const

/** Routes for search engines, feed readers, devices and security researchers. */
export function crawlerRoutes(kit: HttpKit, deps: Deps, search: CatalogSearch) {
  const { baseUrl } = deps.config
  const readSettings = () => settingsOf(deps).storefront().settings
  const partLists = new BoundedCache<string[]>({
    maxBytes: PARTS_BYTES,
    bytesOf: (parts) => parts.join('').length,
    lifetimeMs: PARTS_LIFETIME_MS,
  })

  return createRoutes(kit, { name: 'crawlers' })
    .get(
      '/robots.txt',
      ({ request, set }) =>
        sendText(writeRobots(baseUrl, readSettings().indexing), 'text/plain', request, set, ROBOTS_SECONDS),
      internal(),
    )
    .get(
      '/manifest.webmanifest',
      ({ request, set }) => {
        const manifest = writeManifest(settingsOf(deps).storefront())
        return sendText(manifest, 'application/manifest+json', request, set, ROBOTS_SECONDS)
      },
      internal(),
    )
    .get(
      '/.well-known/security.txt',
      ({ request, set }) => {
        const { contact } = readSettings()
        if (contact === null) throw new AppError('not_found')
        const text = writeSecurityContact(baseUrl, contact, new Date())
        return sendText(text, 'text/plain', request, set, ROBOTS_SECONDS)
      },
      internal(),
    )
    .get(
      '/sitemap.xml',
      async ({ query, request, set }) => {
        const text = await writePart(query.part)
        return sendText(text, 'application/xml', request, set, 60)
      },
      { limit: 'sitemap', ...internal() },
    )
    .get(
      '/feed.xml',
      async ({ request, set }) => {
        const parameters = new URLSearchParams({ sort: 'newest', page_size: String(FEED_ENTRIES) })
        const newest = SearchRequest.parse(parameters)
        const { items } = await searchCatalog(search, { kind: 'anonymous' }, newest)
        const feed = await feedOf(items, {
          title: `Newest on ${readSettings().name}`,
          url: `${baseUrl}/feed.xml`,
          pageUrl: `${baseUrl}/search?sort=newest`,
        })
        return sendFeed(feed.text, feed.updatedAt, PUBLIC, request, set)
      },
      { limit: 'search', ...internal() },
    )
    .get(
      '/collections/:slug/feed.xml',
      async ({ params, request, set }) => {
        const guest = { kind: 'anonymous' } as const
        const { collection, cards } = await loadCollection(search, guest, params.slug, null)
        const { title, url: pageUrl, feed_url: url } = toSummary(baseUrl, collection)
        const feed = await feedOf(cards, { title: `${title} · ${readSettings().name}`, url, pageUrl })
        return sendFeed(feed.text, feed.updatedAt, PUBLIC, request, set)
      },
      { limit: 'search', ...internal() },
    )

  async function feedOf(all: readonly Card[], facts: FeedFacts) {
    const cards = all.slice(0, FEED_ENTRIES)
    const uids = cards.map(({ uid }) => uid)
    return writeFeed(facts, cards, await deps.reads.shared(({ db }) => loadNewestChangeOf(db, uids)))
  }

  /** The whole store if it fits into one file, otherwise the list of its parts. */
  async function writePart(part: string | undefined): Promise<string> {
    if (!readSettings().indexing) return writeSitemap([])
    const isFirst = part === undefined || part === 'first'
    if (part === undefined) {
      const parts = await partLists.load('parts', () => deps.reads.shared(listSitemapParts))
      if (parts.length > 1) return writeSitemapIndex(baseUrl, parts)
    }
    const cursor = parseSitemapCursor(isFirst ? '' : part)
    const { entries } = await deps.reads.shared((from) => loadSitemapPart(from, cursor))
    return writeSitemap(isFirst ? [...(await listOwnPages()), ...entries] : entries)
  }

  /** The pages of the store itself: the home page, what operators write, and the newest jams. */
  async function listOwnPages(): Promise<SitemapEntry[]> {
    const [collections, jams] = await Promise.all([
      search.loadCollections(new Date()),
      listJamAddresses(deps),
    ])
    return [
      { url: `${baseUrl}/` },
      ...readSettings().pages.map(({ slug }) => ({ url: `${baseUrl}/pages/${slug}` })),
      ...(collections.length > 0 ? [{ url: `${baseUrl}/collections` }] : []),
      ...collections.map(({ slug }) => ({ url: collectionUrl(baseUrl, slug) })),
      ...(jams.length > 0 ? [{ url: `${baseUrl}/jams` }] : []),
      ...jams,
    ]
  }
}

/** The web app manifest: how devices name and draw the store. */
function writeManifest({ settings, images }: Storefront): string {
  const { name, description, accent } = settings
  const { light } = derivePalette(accent)
  const icons = ICON_SIDES.flatMap((side) => {
    const src = imagePath(images, 'icon', String(side))
    return src === null ? [] : [{ src, sizes: `${side}x${side}`, type: 'image/png' }]
  })
  return JSON.stringify({
    name,
    short_name: name,
    description,
    start_url: '/',
    display: 'minimal-ui',
    theme_color: light.accent,
    background_color: light.page,
    icons: icons.length > 0 ? icons : [{ src: faviconPath(accent), sizes: 'any', type: 'image/svg+xml' }],
  })
}
