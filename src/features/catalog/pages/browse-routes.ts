import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import { normalizeSlug, SLUG_MAX } from '../../../domain/slugs.ts'
import { STORE_RULES } from '../../../domain/store-rules.ts'
import { ALWAYS_ASK, type CacheRule, describeCache } from '../../../http/caching.ts'
import { Envelope, ok } from '../../../http/envelope.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { PageQuery } from '../../../http/paging.ts'
import { sendPrepared } from '../../../http/prepared.ts'
import { clamp, readPage } from '../../../lib/paging.ts'
import { createBriefCache } from './brief-cache.ts'
import {
  DeveloperPage,
  POPULAR_TAGS_DEFAULT,
  POPULAR_TAGS_MAX,
  PopularTags,
  PopularTagsQuery,
  Sitemap,
  SitemapQuery,
  StoreRules,
} from './browse-model.ts'
import { readPopularTags } from './popular-tags.ts'
import { readDeveloper } from './service.ts'
import { parseSitemapCursor, readSitemap } from './sitemap.ts'

const tags = ['Catalog']
/** They may be ten seconds behind: five here, five on the way. */
const BRIEF_MS = 5000
const BRIEF: CacheRule = { maxAge: 5 }
const RARELY_CHANGED: CacheRule = { maxAge: 300 }
const TAG_LISTS_BYTES = 1024 ** 2
/** A full page has about a megabyte. */
const SITEMAPS_BYTES = 16 * 1024 ** 2

/** The catalog as a whole, and its developers. */
export function browseRoutes(kit: HttpKit, deps: Deps) {
  const popularTags = createBriefCache(BRIEF_MS, TAG_LISTS_BYTES)
  const sitemaps = createBriefCache(BRIEF_MS, SITEMAPS_BYTES)

  return new Elysia({ name: 'browse', prefix: '/api/v1/public' })
    .use(kit)
    .get(
      '/tags/popular',
      async ({ query, request, set }) => {
        // No tag begins with more letters than it may have.
        const prefix = normalizeSlug(query.prefix ?? '').slice(0, SLUG_MAX + 1)
        const limit = clamp(query.limit, POPULAR_TAGS_DEFAULT, 1, POPULAR_TAGS_MAX)
        const answer = await popularTags.read(`${limit} ${prefix}`, () =>
          readPopularTags(deps.db, prefix, limit),
        )
        return sendPrepared(answer, request, set.headers, BRIEF)
      },
      {
        limit: 'popular_tags',
        visitor: true,
        query: PopularTagsQuery,
        response: Envelope(PopularTags),
        detail: {
          tags,
          summary: 'The most used tags of public listings that are not adult',
          ...describeCache(BRIEF),
        },
      },
    )
    .get(
      '/sitemap',
      async ({ query, request, set }) => {
        const cursor = parseSitemapCursor(query.cursor)
        const answer = await sitemaps.read(`${cursor.part} ${cursor.behind}`, () => readSitemap(deps, cursor))
        return sendPrepared(answer, request, set.headers, BRIEF)
      },
      {
        limit: 'sitemap',
        visitor: true,
        query: SitemapQuery,
        response: Envelope(Sitemap),
        detail: {
          tags,
          summary: 'Everything that search engines may index, page by page',
          ...describeCache(BRIEF),
        },
      },
    )
    .get('/store-rules', () => ok(STORE_RULES), {
      visitor: true,
      cache: RARELY_CHANGED,
      response: Envelope(StoreRules),
      detail: { tags, summary: 'Price limits and fees' },
    })
    .get(
      '/user/:user_id',
      async ({ actor, params, query }) =>
        ok(await readDeveloper(deps, actor, params.user_id, readPage(query))),
      {
        visitor: true,
        cache: ALWAYS_ASK,
        query: PageQuery,
        response: Envelope(DeveloperPage),
        detail: { tags, summary: 'A developer and what they published, newest first' },
      },
    )
}
