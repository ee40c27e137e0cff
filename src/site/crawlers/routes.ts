import { Elysia } from 'elysia'

import type { Deps } from '../../deps.ts'
import { collectionUrl } from '../../domain/site-urls.ts'
import { AppError } from '../../errors.ts'
import { readCollection, toSummary } from '../../features/catalog/collections/service.ts'
import type { Card } from '../../features/catalog/pages/model.ts'
import {
  listSitemapParts,
  readSitemapPart,
  type SitemapEntry,
} from '../../features/catalog/pages/sitemap-parts.ts'
import { parseSitemapCursor } from '../../features/catalog/pages/sitemap.ts'
import { type CatalogSearch, searchCatalog } from '../../features/catalog/search/service.ts'
import { readNewestChangeOf } from '../../features/listings/changelog/service.ts'
import { settingsOf } from '../../features/settings/reader.ts'
import type { HttpKit } from '../../http/kit.ts'
import { sendText } from '../../http/output/pages.ts'
import { BoundedCache } from '../../lib/cache/bounded-cache.ts'
import { writeManifest } from './manifest.ts'
import {
  type FeedFacts,
  writeFeed,
  writeRobots,
  writeSecurityContact,
  writeSitemap,
  writeSitemapIndex,
} from './robots-sitemap-feed.ts'

const FEED_ENTRIES = '50'
const ROBOTS_SECONDS = 60
const FEED_SECONDS = 60
/** Cached, because reading the whole catalog for the list of parts takes a while. */
const PARTS_LIFETIME_MS = 5 * 60 * 1000
const PARTS_BYTES = 1024 ** 2
const internal = () => ({ open: true, detail: { hide: true } }) as const

/** Routes for search engines, feed readers, devices and those who found a weakness. */
export function crawlerRoutes(kit: HttpKit, deps: Deps, search: CatalogSearch) {
  const { baseUrl } = deps.config
  const readSettings = () => settingsOf(deps).storefront().settings
  const partLists = new BoundedCache<string[]>({
    maxBytes: PARTS_BYTES,
    bytesOf: (parts) => parts.join('').length,
    lifetimeMs: PARTS_LIFETIME_MS,
  })

  return new Elysia({ name: 'crawlers' })
    .use(kit)
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
        const parameters = new URLSearchParams({ sort: 'newest', page_size: FEED_ENTRIES })
        const { items } = await searchCatalog(search, { kind: 'anonymous' }, (name) =>
          parameters.getAll(name),
        )
        const feed = await feedOf(items, {
          title: `Newest on ${readSettings().name}`,
          url: `${baseUrl}/feed.xml`,
          pageUrl: `${baseUrl}/search?sort=newest`,
        })
        return sendText(feed, 'application/atom+xml', request, set, FEED_SECONDS)
      },
      { limit: 'search', ...internal() },
    )
    .get(
      '/collections/:slug/feed.xml',
      async ({ params, request, set }) => {
        const guest = { kind: 'anonymous' } as const
        const { collection, cards } = await readCollection(search, guest, params.slug, null)
        const { title, url: pageUrl, feed_url: url } = toSummary(baseUrl, collection)
        const feed = await feedOf(cards, { title: `${title} · ${readSettings().name}`, url, pageUrl })
        return sendText(feed, 'application/atom+xml', request, set, FEED_SECONDS)
      },
      { limit: 'search', ...internal() },
    )

  async function feedOf(cards: readonly Card[], facts: FeedFacts): Promise<string> {
    const uids = cards.map(({ uid }) => uid)
    return writeFeed(facts, cards, await deps.reads.shared(({ db }) => readNewestChangeOf(db, uids)))
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
    const { entries } = await deps.reads.shared((from) => readSitemapPart(from, cursor))
    return writeSitemap(isFirst ? [...(await listOwnPages()), ...entries] : entries)
  }

  /** What operators made: the home page, their pages and their collections. */
  async function listOwnPages(): Promise<SitemapEntry[]> {
    const collections = await search.readCollections(new Date())
    return [
      { url: `${baseUrl}/` },
      ...readSettings().pages.map(({ slug }) => ({ url: `${baseUrl}/pages/${slug}` })),
      ...(collections.length > 0 ? [{ url: `${baseUrl}/collections` }] : []),
      ...collections.map(({ slug }) => ({ url: collectionUrl(baseUrl, slug) })),
    ]
  }
}
