import type { Db } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import { type Actor, seesAdult } from '../../../domain/actor.ts'
import { AppError } from '../../../errors.ts'
import { mapPage, type Page, type Paged } from '../../../lib/paging.ts'
import { type GameRow, openPublicGame } from '../../games/service.ts'
import type { ChangelogEntry } from '../../listings/changelog/model.ts'
import { listChangesByUid } from '../../listings/changelog/service.ts'
import type { PublicPost } from './model.ts'
import * as queries from './queries.ts'
import { toPublicPost } from './responses.ts'

type Services = Pick<Deps, 'config'> & { db: Db }

type Shown = Pick<GameRow, 'uid' | 'vanityName' | 'adult'>

/** Posts of a listing that everyone can open, newest first. */
export async function listPublicPosts(
  deps: Services,
  visitor: Actor | null,
  ref: string,
  page: Page,
): Promise<Paged<PublicPost>> {
  const game = await openPublicGame(deps.db, ref)
  const toShown = shownTo(deps, visitor, game)
  return mapPage(await queries.pagePublic(deps.db, game.uid, page), toShown)
}

export async function getPublicPost(
  deps: Services,
  visitor: Actor | null,
  ref: string,
  slug: string,
): Promise<PublicPost> {
  const game = await openPublicGame(deps.db, ref)
  return await getPostOf(deps, visitor, game, slug)
}

/** A public post of a listing that the caller has opened. */
export async function getPostOf(
  deps: Services,
  visitor: Actor | null,
  game: Shown,
  slug: string,
): Promise<PublicPost> {
  const row = await queries.findPublic(deps.db, game.uid, slug)
  if (!row) throw new AppError('not_found')
  return shownTo(deps, visitor, game)(row)
}

/** The uid of a public post; throws not_found for any other. */
export async function requirePublicPost(db: Db, gameUid: string, uid: string): Promise<string> {
  const [row] = await queries.listPublicByUid(db, [uid])
  if (row?.post.gameUid !== gameUid) throw new AppError('not_found')
  return row.post.uid
}

/** The pinned post and the newest others of a listing that the caller has opened, with pictures. */
export async function listNewestPosts(deps: Services, game: Shown, others: number): Promise<PublicPost[]> {
  const rows = await queries.listNewest(deps.db, game.uid, others + 1)
  const shown = rows[0]?.post.pinned ? rows : rows.slice(0, others)
  return shown.map((row) => toPublicPost(deps.config.baseUrl, game, row, { withPicture: true }))
}

export type News = { part: 'posts'; post: PublicPost } | { part: 'releases'; entry: ChangelogEntry }
export type NewsPart = queries.NewsPart

/** Posts and releases of a listing that the caller has opened, in one line of time, newest first. */
export async function listNewsOf(
  deps: Services,
  visitor: Actor | null,
  game: Shown,
  parts: readonly NewsPart[],
  page: Page,
): Promise<Paged<News>> {
  const found = await queries.pageNews(deps.db, game.uid, parts, page)
  const uidsOf = (part: NewsPart) => found.items.flatMap((one) => (one.part === part ? one.uid : []))
  const [rows, entries] = await Promise.all([
    queries.listPublicByUid(deps.db, uidsOf('posts')),
    listChangesByUid(deps.db, uidsOf('releases')),
  ])
  const toShown = shownTo(deps, visitor, game)
  const news = new Map<string, News>([
    ...rows.map((row): [string, News] => [row.post.uid, { part: 'posts', post: toShown(row) }]),
    ...entries.map((entry): [string, News] => [entry.uid, { part: 'releases', entry }]),
  ])
  return { ...found, items: found.items.flatMap(({ uid }) => news.get(uid) ?? []) }
}

/** A post with the listing that it is about. */
export interface PostOfGame {
  post: PublicPost
  game: { uid: string; vanity_name: string; name: string }
}

/** The newest posts of public listings that this visitor may see: of one developer, or of all. */
export async function listPostsAnywhere(
  deps: Services,
  visitor: Actor | null,
  ownerUid: string | null,
  limit: number,
): Promise<PostOfGame[]> {
  const withAdult = visitor !== null && seesAdult(visitor)
  const rows = await queries.listNewestOf(deps.db, { ownerUid, withAdult, limit })
  return rows.map(({ game, ...row }) => ({
    post: toPublicPost(deps.config.baseUrl, game, row, { withPicture: true }),
    game: { uid: row.post.gameUid, vanity_name: game.vanityName, name: game.name },
  }))
}

function shownTo({ config }: Services, visitor: Actor | null, game: Shown) {
  const withPicture = !game.adult || (visitor !== null && seesAdult(visitor))
  return (row: queries.ShownRow) => toPublicPost(config.baseUrl, game, row, { withPicture })
}
