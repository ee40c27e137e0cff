import type { Db } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import { type Actor, seesAdult } from '../../../domain/actor.ts'
import { type ChildKind, childKindOf } from '../../../domain/listings/listing.ts'
import { toPerson } from '../../../domain/people.ts'
import { developerUrl } from '../../../domain/site-urls.ts'
import { AppError } from '../../../errors.ts'
import { type Page, type Paged, paged } from '../../../lib/paging.ts'
import { renderMarkdown } from '../../../lib/text/markdown.ts'
import { EMPTY_PROFILE, loadProfile } from '../../accounts/profile/service.ts'
import { loadBetaFiles, pageStableFiles } from '../../builds/channels/stable-files.ts'
import { openPublicGame } from '../../games/service.ts'
import { loadCards, toFile, withPicturesFor } from './cards.ts'
import type { ChildCard, DeveloperPage, PopularTags, PublicFile } from './model.ts'
import * as queries from './queries.ts'
import { listPopularTags } from './queries.ts'

/** Public mods and tools for a listing, newest first; null selects both kinds. */
export async function listChildren(
  deps: Deps,
  visitor: Actor | null,
  ref: string,
  kind: ChildKind | null,
  page: Page,
): Promise<Paged<ChildCard>> {
  const parent = await openPublicGame(deps.db, ref)
  const { items: found, total } = await queries.pageChildren(deps.db, parent.uid, kind, page)
  const cards = await loadCards(
    deps,
    found.map(({ uid }) => uid),
  )
  const items = cards.map((card) => ({
    ...withPicturesFor(visitor, card),
    kind: childKindOf(card.asset_type),
    same_creator: card.developer.uid === parent.ownerUid,
  }))
  return paged(page, items, total)
}

/** Throws not_found for users without public listings. */
export async function loadDeveloper(
  deps: Deps,
  visitor: Actor,
  ref: string,
  page: Page,
): Promise<DeveloperPage> {
  const developer = await queries.findDeveloper(deps.db, ref)
  if (!developer) throw new AppError('not_found')
  const { uid, createdAt } = developer
  const person = toPerson(deps.config.baseUrl, developer)
  const withAdult = seesAdult(visitor)
  const [published, uids, profile] = await Promise.all([
    queries.countPublished(deps.db, uid),
    queries.listPublished(deps.db, uid, withAdult, page),
    developer.suspendedAt === null ? loadProfile(deps.db, deps.config.baseUrl, uid) : EMPTY_PROFILE,
  ])
  if (published.all === 0) throw new AppError('not_found')
  const { featured } = profile
  const isShown = featured !== null && (await queries.isPublished(deps.db, uid, featured, withAdult))
  return {
    uid,
    ...person,
    ...profile,
    bio_html: renderMarkdown(profile.bio),
    featured: isShown ? featured : null,
    url: developerUrl(deps.config.baseUrl, person.username),
    created_at: createdAt.toISOString(),
    items: await loadCards(deps, uids),
    total: withAdult ? published.all : published.mild,
    page: page.page,
    page_size: page.page_size,
  }
}

/** What a joined beta player gets besides the stable files, of a listing that the caller has opened. */
export async function listBetaFiles(deps: Deps, gameUid: string): Promise<PublicFile[]> {
  return (await loadBetaFiles(deps.db, gameUid)).map(toFile)
}

/** The stable, clean files of a listing, addressed under its developer. */
export async function listFiles(
  deps: Deps,
  developerRef: string,
  ref: string,
  page: Page,
): Promise<Paged<PublicFile>> {
  const game = await openPublicGame(deps.db, ref)
  const developer = await queries.findDeveloper(deps.db, developerRef)
  if (developer?.uid !== game.ownerUid) throw new AppError('not_found')
  const { items, total } = await pageStableFiles(deps.db, game.uid, page)
  return paged(page, items.map(toFile), total)
}

const LETTERS_OF_TAGS = /^[a-z0-9-]*$/

/** Counts only public listings that are not adult. The prefix is already normalised. */
export async function loadPopularTags(db: Db, prefix: string, limit: number): Promise<PopularTags> {
  return { tags: LETTERS_OF_TAGS.test(prefix) ? await listPopularTags(db, prefix, limit) : [] }
}
