import type { Db } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import { toPerson } from '../../../domain/actor.ts'
import { developerUrl, listingUrl, mediaUrl } from '../../../domain/site-urls.ts'
import { AppError } from '../../../errors.ts'
import { sha256Hex } from '../../../lib/bytes/hash.ts'
import { createSecret } from '../../../lib/ids.ts'
import { renderMarkdown } from '../../../lib/text/markdown.ts'
import type { GameRow } from '../../games/service.ts'
import { openPublisher } from '../follows/service.ts'
import * as queries from './queries.ts'

export const FEED_ENTRIES = 50

/** A release, a post or a new listing, with everything that its page shows as text. */
export interface News {
  uid: string
  part: queries.NewsPart
  title: string
  /** The page of it. */
  url: string
  html: string
  /** The single changes of a release, as plain text. */
  items: readonly { title: string; description: string }[]
  /** The address of its picture. */
  picture: string | null
  publishedAt: Date
  updatedAt: Date
  author: { name: string; url: string }
}

export type NewsOnly = 'releases' | 'posts'
const PARTS: Readonly<Record<NewsOnly | 'all', readonly queries.NewsPart[]>> = {
  releases: ['release'],
  posts: ['post'],
  all: ['release', 'post'],
}

/** The news of a listing that the caller has opened, newest first. */
export async function loadGameNews(
  deps: Pick<Deps, 'db' | 'config'>,
  game: Pick<GameRow, 'uid'>,
  only: NewsOnly | null,
): Promise<News[]> {
  const refs = await queries.listNewsOfGame(deps.db, game.uid, PARTS[only ?? 'all'], FEED_ENTRIES)
  return await loadNews(deps, refs, { namesGame: false, withAdult: false })
}

/** What a developer publishes, newest first. */
export async function loadDeveloperNews(deps: Pick<Deps, 'db' | 'config'>, ref: string) {
  const developer = await openPublisher(deps.db, ref)
  const refs = await queries.listNewsOfDeveloper(deps.db, developer.uid, FEED_ENTRIES)
  const news = await loadNews(deps, refs, { namesGame: true, withAdult: false })
  return { developer: toPerson(deps.config.baseUrl, developer), news }
}

/** What the owner of a feed key follows, newest first. All wrong keys get the same answer. */
export async function loadFollowedNews(deps: Pick<Deps, 'db' | 'config'>, key: string): Promise<News[]> {
  const owner = key === '' ? undefined : await queries.findFeedOwner(deps.db, sha256Hex(key))
  if (!owner) throw new AppError('not_found')
  const { uid, adultContent: withAdult } = owner
  const refs = await queries.listNewsOfFollower(deps.db, uid, withAdult, FEED_ENTRIES)
  return await loadNews(deps, refs, { namesGame: true, withAdult })
}

interface Shown {
  /** Whether titles begin with the name of the listing. */
  namesGame: boolean
  /** Whether pictures of adult listings are shown. */
  withAdult: boolean
}

/** In the order given; the number of queries is constant. */
async function loadNews(
  { db, config: { baseUrl } }: Pick<Deps, 'db' | 'config'>,
  refs: readonly queries.NewsRef[],
  { namesGame, withAdult }: Shown,
): Promise<News[]> {
  const uidsOf = (part: queries.NewsPart) => refs.filter((ref) => ref.part === part).map(({ uid }) => uid)
  const [releases, posts, games] = await Promise.all([
    queries.listReleases(db, uidsOf('release')),
    queries.listPosts(db, uidsOf('post')),
    queries.listNewGames(db, uidsOf('game')),
  ])
  type About = Pick<(typeof releases)[number], 'game' | 'developer'>
  const authorOf = ({ developer }: About) => ({
    name: developer.displayName,
    url: developerUrl(baseUrl, developer.username),
  })
  const titled = ({ game }: About, title: string) => (namesGame ? `${game.name}: ${title}` : title)
  const news: News[] = [
    ...releases.map((row): News => {
      const { uid, title, version, body, items, createdAt } = row.entry
      return {
        uid,
        part: 'release',
        title: titled(row, version === null || version === title ? title : `${title} (${version})`),
        url: `${listingUrl(baseUrl, row.game.vanityName)}/changelog#${uid}`,
        html: renderMarkdown(body),
        items,
        picture: null,
        publishedAt: createdAt,
        updatedAt: createdAt,
        author: authorOf(row),
      }
    }),
    ...posts.map((row): News => {
      const { uid, title, slug, markdown, publishedAt, createdAt, updatedAt } = row.post
      const at = publishedAt ?? createdAt
      return {
        uid,
        part: 'post',
        title: titled(row, title),
        url: `${listingUrl(baseUrl, row.game.vanityName)}/posts/${slug}`,
        html: renderMarkdown(markdown),
        items: [],
        picture:
          row.pictureKey === null || (row.game.adult && !withAdult)
            ? null
            : mediaUrl(baseUrl, row.pictureKey),
        publishedAt: at,
        updatedAt: updatedAt > at ? updatedAt : at,
        author: authorOf(row),
      }
    }),
    ...games.map((row): News => {
      const at = row.publishedAt ?? new Date(0)
      return {
        uid: row.game.uid,
        part: 'game',
        title: row.game.name,
        url: listingUrl(baseUrl, row.game.vanityName),
        html: renderMarkdown(row.description),
        items: [],
        picture: null,
        publishedAt: at,
        updatedAt: at,
        author: authorOf(row),
      }
    }),
  ]
  const byUid = new Map(news.map((one) => [one.uid, one]))
  return refs.flatMap(({ uid }) => byUid.get(uid) ?? [])
}

/** When the key of the account was made; null without one. */
export async function findFeedKeyDate(db: Db, userUid: string): Promise<string | null> {
  return (await queries.findFeedKey(db, userUid))?.createdAt.toISOString() ?? null
}

/** The address of the account's private feed, which cannot be read again. A former one ends. */
export async function createFeedUrl(
  { db, config }: Pick<Deps, 'db' | 'config'>,
  userUid: string,
): Promise<string> {
  const key = createSecret()
  await queries.replaceFeedKey(db, userUid, sha256Hex(key))
  return `${config.baseUrl}/following/feed.xml?key=${key}`
}

export async function endFeedUrl(db: Db, userUid: string): Promise<void> {
  await queries.deleteFeedKey(db, userUid)
}
