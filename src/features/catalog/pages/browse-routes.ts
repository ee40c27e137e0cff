import type { Deps } from '../../../deps.ts'
import { normalizeSlug, SLUG_MAX } from '../../../domain/listings/slugs.ts'
import { STORE_RULES } from '../../../domain/listings/store-rules.ts'
import { Envelope, ok, PageQuery } from '../../../http/input/schema.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import { ALWAYS_ASK, type CacheRule, describeCache, sendPrepared } from '../../../http/output/caching.ts'
import { BoundedCache } from '../../../lib/cache/bounded-cache.ts'
import { bytesOfResponse, type PreparedResponse, prepareJson } from '../../../lib/net/prepared-response.ts'
import { clamp, parsePage } from '../../../lib/paging.ts'
import { GAME_TAKEN_DOWN } from '../../games/service.ts'
import { loadFeePercent } from '../../settings/reader.ts'
import {
  DeveloperPage,
  POPULAR_TAGS_DEFAULT,
  POPULAR_TAGS_MAX,
  PopularTags,
  PopularTagsQuery,
  Sitemap,
  SitemapQuery,
  StoreRules,
} from './model.ts'
import { loadDeveloper, loadPopularTags } from './service.ts'
import { loadSitemap, parseSitemapCursor } from './sitemap.ts'

/** Responses may be ten seconds stale: five in this cache, five in HTTP caches. */
const BRIEF_MS = 5000
const BRIEF: CacheRule = { maxAge: 5 }
const TAG_LISTS_BYTES = 1024 ** 2
/** A full page is about a megabyte. */
const SITEMAPS_BYTES = 16 * 1024 ** 2

/** Routes about the whole catalog and its developers. */
export async function browseRoutes(kit: HttpKit, deps: Deps) {
  const popularTags = createBriefCache(TAG_LISTS_BYTES)
  const sitemaps = createBriefCache(SITEMAPS_BYTES)
  const forget = () => sitemaps.clear()
  await deps.database.listen(GAME_TAKEN_DOWN, forget, forget)

  return createRoutes(kit, { name: 'browse', prefix: '/api/v1/public', tags: ['Catalog'] })
    .get(
      '/tags/popular',
      async ({ query, request, set }) => {
        // One character more than a tag can have, so that a longer prefix matches nothing.
        const prefix = normalizeSlug(query.prefix ?? '').slice(0, SLUG_MAX + 1)
        const limit = clamp(query.limit, POPULAR_TAGS_DEFAULT, 1, POPULAR_TAGS_MAX)
        const prepared = await popularTags.load(`${limit} ${prefix}`, () =>
          prepareOk(deps.reads.shared(({ db }) => loadPopularTags(db, prefix, limit))),
        )
        return sendPrepared(prepared, request, set, BRIEF)
      },
      {
        limit: 'popular_tags',
        visitor: true,
        query: PopularTagsQuery,
        response: Envelope(PopularTags),
        summary: 'The most used tags of public listings that are not adult',
        detail: describeCache(BRIEF),
      },
    )
    .get(
      '/sitemap',
      async ({ query, request, set }) => {
        const cursor = parseSitemapCursor(query.cursor)
        const prepared = await sitemaps.load(`${cursor.part} ${cursor.behind}`, () =>
          prepareOk(deps.reads.shared((from) => loadSitemap(from, cursor))),
        )
        return sendPrepared(prepared, request, set, BRIEF)
      },
      {
        limit: 'sitemap',
        visitor: true,
        query: SitemapQuery,
        response: Envelope(Sitemap),
        summary: 'The pages that search engines may index',
        detail: describeCache(BRIEF),
      },
    )
    .get('/store-rules', async () => ok({ ...STORE_RULES, fee_percent: await loadFeePercent(deps) }), {
      visitor: true,
      cache: BRIEF,
      response: Envelope(StoreRules),
      summary: 'Price limits and fees',
    })
    .get(
      '/user/:user_id',
      async ({ actor, params, query }) => {
        const read = (from: Deps) => loadDeveloper(from, actor, params.user_id, parsePage(query))
        return ok(await deps.reads.visitor(actor, read))
      },
      {
        visitor: true,
        cache: ALWAYS_ASK,
        query: PageQuery,
        response: Envelope(DeveloperPage),
        summary: 'A developer and their public listings, newest first',
      },
    )
}

function createBriefCache(maxBytes: number) {
  return new BoundedCache<PreparedResponse>({ maxBytes, bytesOf: bytesOfResponse, lifetimeMs: BRIEF_MS })
}

async function prepareOk(data: Promise<unknown>): Promise<PreparedResponse> {
  return prepareJson(ok(await data))
}
