import type { Db, Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import type { AssetType } from '../../../domain/listings/listing.ts'
import { listingUrl } from '../../../domain/site-urls.ts'
import { AppError } from '../../../errors.ts'
import { type Page, type Paged, paged } from '../../../lib/paging.ts'
import { maySeePage, openGame } from '../../games/service.ts'
import { readCovers } from '../../listings/images/service.ts'
import { FILTER_TEXT_MAX, LIBRARY_SORTS, type LibraryItem } from './model.ts'
import * as queries from './queries.ts'

/** A person, on the website or behind a key. */
type Holder = Pick<WebsiteUser, 'userUid'> & { isOperator?: boolean }

/** What was sent beyond the known sorts means the usual one. */
export function readLibraryFilter(query: {
  q?: string | undefined
  sort?: string | undefined
}): LibraryFilter {
  const sort = LIBRARY_SORTS.find((known) => known === query.sort) ?? 'newest'
  return { text: (query.q ?? '').trim().slice(0, FILTER_TEXT_MAX), sort }
}

export async function readLibrary(
  deps: Deps,
  user: Holder,
  page: Page,
  filter: LibraryFilter = readLibraryFilter({}),
): Promise<Paged<LibraryItem>> {
  const rows = await queries.listLibrary(deps.db, user.userUid, page, filter)
  return paged(
    page,
    await toItems(deps, rows),
    rows[0]?.total ?? (await countBefore(deps, user, page, filter)),
  )
}

/** How many there are before a page without any. */
async function countBefore(deps: Deps, user: Holder, page: Page, filter: LibraryFilter): Promise<number> {
  return page.offset === 0 ? 0 : await queries.countLibrary(deps.db, user.userUid, filter)
}

export type LibraryFilter = queries.LibraryFilter

/**
 * Gives a licence for a free listing, also an invisible one to whoever has its link. An existing licence stays, even
 * if the listing is paid now.
 */
export async function claimGame(
  deps: Deps,
  user: Holder,
  ref: string,
): Promise<{ item: LibraryItem; isNew: boolean }> {
  const { game } = await openGame(deps.db, user, ref, 'see')
  if (!maySeePage(game.visibility, null)) throw new AppError('not_found')
  const held = await queries.findLicense(deps.db, user.userUid, game.uid)
  if (!held && game.priceCents > 0) {
    throw new AppError('buy_to_download', {
      message: `${game.name} is not free. Buy it instead.`,
      data: {
        browse_url: listingUrl(deps.config.baseUrl, game.vanityName),
        price_cents: game.priceCents,
      },
    })
  }
  const values = { userUid: user.userUid, gameUid: game.uid, gameName: game.name, source: 'claimed' } as const
  const isNew = !held && (await queries.insertLicense(deps.db, values))
  return { item: await readLibraryItem(deps, user.userUid, game.uid), isNew }
}

export async function joinBeta(deps: Deps, user: WebsiteUser, ref: string): Promise<LibraryItem> {
  return await readLibraryItem(deps, user.userUid, await setBeta(deps.db, user, ref, true))
}

export async function leaveBeta(deps: Deps, user: WebsiteUser, ref: string): Promise<void> {
  await setBeta(deps.db, user, ref, false)
}

async function setBeta(db: Db, user: WebsiteUser, ref: string, beta: boolean): Promise<string> {
  const { game } = await openGame(db, user, ref, 'see')
  if (!(await queries.updateBeta(db, user.userUid, game.uid, beta))) throw licenseNeeded()
  return game.uid
}

export async function findLicense(
  db: Db,
  userUid: string,
  gameUid: string,
): Promise<queries.LicenseRow | undefined> {
  return await queries.findLicense(db, userUid, gameUid)
}

/** The public listings of these types that the player has a licence for, always in the same order. */
export async function listOwnedUids(db: Db, userUid: string, types: readonly AssetType[]): Promise<string[]> {
  return await queries.listOwnedUids(db, userUid, types)
}

export async function requireLicense(db: Db, userUid: string, gameUid: string): Promise<void> {
  if (!(await queries.findLicense(db, userUid, gameUid))) throw licenseNeeded()
}

/** Locks the licence until the transaction ends, which serialises a player's changes to one game. */
export async function lockLicense(tx: Transaction, userUid: string, gameUid: string): Promise<void> {
  if (!(await queries.findLicense(tx, userUid, gameUid, true))) throw licenseNeeded()
}

export async function readPlayMinutes(db: Db, userUid: string, gameUid: string): Promise<number> {
  return toMinutes(await queries.findPlaySeconds(db, userUid, gameUid))
}

/** Play time is shown in whole minutes. */
export function toMinutes(seconds: number | null): number {
  return Math.floor((seconds ?? 0) / 60)
}

function licenseNeeded(): AppError {
  return new AppError('forbidden', {
    message: 'You have no licence for this game. Add it to your library first.',
  })
}

export async function readLibraryItem(deps: Deps, userUid: string, gameUid: string): Promise<LibraryItem> {
  const row = await queries.findLibraryRow(deps.db, userUid, gameUid)
  const [item] = await toItems(deps, row ? [row] : [])
  if (!item) throw new AppError('not_found')
  return item
}

async function toItems(deps: Deps, rows: readonly queries.LibraryRow[]): Promise<LibraryItem[]> {
  const open = rows.flatMap(({ game }) => (isOpen(game) ? [game.uid] : []))
  const covers = await readCovers(deps, open)
  return rows.map(({ game, license, playSeconds }) => ({
    game: isOpen(game)
      ? {
          uid: game.uid,
          vanity_name: game.vanityName,
          name: game.name,
          asset_type: game.assetType,
          url: listingUrl(deps.config.baseUrl, game.vanityName),
          cover: covers.get(game.uid)?.cover ?? null,
        }
      : { ...CLOSED, uid: license.gameUid, name: license.gameName },
    source: license.source,
    since: license.createdAt.toISOString(),
    play_minutes: toMinutes(playSeconds),
    beta: license.beta,
    removed_at: license.removedAt?.toISOString() ?? null,
  }))
}

/** What the holder of a licence sees of a page that is hidden or deleted, beside its uid and name. */
const CLOSED = { vanity_name: null, asset_type: null, url: null, cover: null } as const

function isOpen(game: queries.LibraryRow['game']): game is NonNullable<queries.LibraryRow['game']> {
  return game !== null && maySeePage(game.visibility, null)
}
