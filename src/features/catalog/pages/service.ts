import type { Deps } from '../../../deps.ts'
import { type Actor, seesAdult } from '../../../domain/actor.ts'
import { type ChildKind, childKindOf } from '../../../domain/listings/listing.ts'
import { developerUrl } from '../../../domain/site-urls.ts'
import { AppError } from '../../../errors.ts'
import { type Page, type Paged, paged } from '../../../lib/paging.ts'
import { pageStableFiles, readBetaFiles } from '../../builds/channels/stable-files.ts'
import { openPublicGame } from '../../games/service.ts'
import { withPicturesFor } from './adult-pictures.ts'
import type { ChildCard, DeveloperPage } from './browse-model.ts'
import * as queries from './browse-queries.ts'
import { toFile } from './build-facts.ts'
import { readCards } from './cards.ts'
import type { PublicFile } from './listing-model.ts'

/** Public mods and tools for a listing, newest first; null selects both kinds. */
export async function listChildren(
  deps: Deps,
  visitor: Actor | null,
  ref: string,
  kind: ChildKind | null,
  page: Page,
): Promise<Paged<ChildCard>> {
  const parent = await openPublicGame(deps.db, ref)
  const [uids, total] = await Promise.all([
    queries.listChildren(deps.db, parent.uid, kind, page),
    queries.countChildren(deps.db, parent.uid, kind),
  ])
  const cards = await readCards(deps, uids)
  const items = cards.map((card) => ({
    ...withPicturesFor(visitor, card),
    kind: childKindOf(card.asset_type),
    same_creator: card.developer.uid === parent.ownerUid,
  }))
  return paged(page, items, total)
}

/** Throws not_found for users without public listings. */
export async function readDeveloper(
  deps: Deps,
  visitor: Actor,
  ref: string,
  page: Page,
): Promise<DeveloperPage> {
  const developer = await queries.findDeveloper(deps.db, ref)
  if (!developer) throw new AppError('not_found')
  const { uid, username, createdAt } = developer
  const withAdult = seesAdult(visitor)
  const [published, uids] = await Promise.all([
    queries.countPublished(deps.db, uid),
    queries.listPublished(deps.db, uid, withAdult, page),
  ])
  if (published.all === 0) throw new AppError('not_found')
  return {
    uid,
    username,
    url: developerUrl(deps.config.baseUrl, username),
    created_at: createdAt.toISOString(),
    items: await readCards(deps, uids),
    total: withAdult ? published.all : published.mild,
    page: page.page,
    page_size: page.page_size,
  }
}

/** What a joined beta player gets besides the stable files, of a listing that the caller has opened. */
export async function listBetaFiles(deps: Deps, gameUid: string): Promise<PublicFile[]> {
  return (await readBetaFiles(deps.db, gameUid)).map(toFile)
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
