import type { Deps } from '../../deps.ts'
import { developerUrl, listingUrl } from '../../domain/site-urls.ts'
import {
  loadDeveloperNews,
  loadFollowedNews,
  loadGameNews,
  type NewsOnly,
} from '../../features/community/feeds/service.ts'
import { openPublicGame } from '../../features/games/service.ts'
import { settingsOf } from '../../features/settings/reader.ts'
import { createRoutes, type HttpKit } from '../../http/kit.ts'
import { sendFeed } from '../../http/output/pages.ts'
import { writeNewsFeed } from './news-feed.ts'

const internal = () => ({ open: true, detail: { hide: true } }) as const
const NEVER = new Date(0)
const [PUBLIC, PRIVATE] = [{ isPrivate: false }, { isPrivate: true }]
const ONLY = ['releases', 'posts'] as const satisfies readonly NewsOnly[]
const ONLY_WORDS: Readonly<Record<NewsOnly | 'all', string>> = {
  all: 'releases and posts',
  releases: 'releases',
  posts: 'posts',
}

/** The feeds of listings, developers and of what one follows. */
export function newsRoutes(kit: HttpKit, deps: Deps) {
  const { baseUrl } = deps.config
  const storeName = () => settingsOf(deps).storefront().settings.name

  return createRoutes(kit, { name: 'news-feeds' })
    .get(
      '/games/:uid/feed.xml',
      async ({ params, query, request, set }) => {
        const game = await openPublicGame(deps.db, params.uid)
        const only = ONLY.find((known) => known === query.only) ?? null
        const news = await loadGameNews(deps, game, only)
        const pageUrl = listingUrl(baseUrl, game.vanityName)
        const facts = {
          title: `${game.name}: ${ONLY_WORDS[only ?? 'all']} · ${storeName()}`,
          url: `${pageUrl}/feed.xml${only === null ? '' : `?only=${only}`}`,
          pageUrl,
        }
        const { text, updatedAt } = writeNewsFeed(facts, news, game.publishedAt ?? game.createdAt)
        return sendFeed(text, updatedAt, PUBLIC, request, set)
      },
      { limit: 'search', ...internal() },
    )
    .get(
      '/developers/:username/feed.xml',
      async ({ params, request, set }) => {
        const { developer, news } = await loadDeveloperNews(deps, params.username)
        const pageUrl = developerUrl(baseUrl, developer.username)
        const title = `${developer.display_name} · ${storeName()}`
        const { text, updatedAt } = writeNewsFeed({ title, url: `${pageUrl}/feed.xml`, pageUrl }, news, NEVER)
        return sendFeed(text, updatedAt, PUBLIC, request, set)
      },
      { limit: 'search', ...internal() },
    )
    .get(
      '/following/feed.xml',
      async ({ query, request, set }) => {
        const key = query['key'] ?? ''
        const news = await loadFollowedNews(deps, key)
        const facts = {
          title: `What you follow on ${storeName()}`,
          url: `${baseUrl}/following/feed.xml?key=${key}`,
          pageUrl: `${baseUrl}/following`,
        }
        const { text, updatedAt } = writeNewsFeed(facts, news, NEVER)
        return sendFeed(text, updatedAt, PRIVATE, request, set)
      },
      { limit: 'private_feed', ...internal() },
    )
}
