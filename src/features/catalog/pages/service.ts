import type { Db } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import { type Actor, seesAdult, toPerson } from '../../../domain/actor.ts'
import { type ChildKind, childKindOf } from '../../../domain/listings/listing.ts'
import { developerUrl } from '../../../domain/site-urls.ts'
import { AppError } from '../../../errors.ts'
import { type Page, type Paged, paged } from '../../../lib/paging.ts'
import { renderMarkdown } from '../../../lib/text/markdown.ts'
import { EMPTY_PROFILE, loadProfile } from '../../accounts/profile/service.ts'
import { loadBetaFiles, pageStableFiles } from '../../builds/channels/stable-files.ts'
import { openPublicGame } from '../../games/service.ts'
import { loadCards, toFile, withPicturesFor } from './cards.ts'
import type { Card, ChildCard, DeveloperPage, PopularTags, PublicFile } from './model.ts'
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
  const { published, ...developer } = await openDeveloper(deps, visitor, ref)
  const uids = await queries.listPublished(deps.db, developer.uid, seesAdult(visitor), null, page)
  const total = published.games + published.others
  return { ...developer, ...paged(page, await loadCards(deps, uids), total) }
}

type DeveloperFacts = Omit<DeveloperPage, 'items' | 'total' | 'page' | 'page_size'>

/** How many listings of each part the visitor may see. */
type Published = Readonly<Record<queries.DeveloperPart, number>>

async function openDeveloper(
  { db, config: { baseUrl } }: Deps,
  visitor: Actor,
  ref: string,
): Promise<DeveloperFacts & { published: Published }> {
  const developer = await queries.findDeveloper(db, ref)
  if (!developer) throw new AppError('not_found')
  const { uid, createdAt, suspendedAt } = developer
  const withAdult = seesAdult(visitor)
  const [counts, profile] = await Promise.all([
    queries.countPublished(db, uid),
    suspendedAt === null ? loadProfile(db, baseUrl, uid) : EMPTY_PROFILE,
  ])
  if (counts.all === 0) throw new AppError('not_found')
  const { featured } = profile
  const isShown = featured !== null && (await queries.isPublished(db, uid, featured, withAdult))
  const others = withAdult ? counts.others : counts.mildOthers
  return {
    uid,
    ...toPerson(baseUrl, developer),
    ...profile,
    bio_html: renderMarkdown(profile.bio),
    featured: isShown ? featured : null,
    url: developerUrl(baseUrl, developer.username),
    created_at: createdAt.toISOString(),
    published: { games: (withAdult ? counts.all : counts.mild) - others, others },
  }
}

export interface DeveloperShelves {
  developer: DeveloperFacts & { published: Published }
  featured: Card | null
  games: Paged<Card>
  others: Paged<Card>
}

/** As the website shows a developer. Each part has a page of its own. */
export async function loadDeveloperShelves(
  deps: Deps,
  visitor: Actor,
  ref: string,
  pages: Readonly<Record<queries.DeveloperPart, Page>>,
): Promise<DeveloperShelves> {
  const developer = await openDeveloper(deps, visitor, ref)
  const { uid, featured, published } = developer
  const list = (part: queries.DeveloperPart) =>
    queries.listPublished(deps.db, uid, seesAdult(visitor), part, pages[part])
  const [games, others] = await Promise.all([list('games'), list('others')])
  const cards = await loadCards(deps, [...new Set([...(featured ? [featured] : []), ...games, ...others])])
  const byUid = new Map(cards.map((card) => [card.uid, card]))
  const pageOfPart = (part: queries.DeveloperPart, uids: readonly string[]) =>
    paged(
      pages[part],
      uids.flatMap((each) => byUid.get(each) ?? []),
      published[part],
    )
  return {
    developer,
    featured: featured === null ? null : (byUid.get(featured) ?? null),
    games: pageOfPart('games', games),
    others: pageOfPart('others', others),
  }
}

export interface ListingName {
  uid: string
  name: string
}

const OWN_NAMES_MAX = 200

/** The newest public listings of this person, to choose the featured one from. */
export async function listOwnPublished(db: Db, { userUid }: { userUid: string }): Promise<ListingName[]> {
  return await queries.listNamesPublished(db, userUid, OWN_NAMES_MAX)
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
