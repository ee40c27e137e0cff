import type { Db, Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { STABLE } from '../../../domain/builds/channels.ts'
import { adultMessage, entitlement } from '../../../domain/listings/entitlement.ts'
import type { AssetType } from '../../../domain/listings/listing.ts'
import { listingUrl } from '../../../domain/site-urls.ts'
import { AppError } from '../../../errors.ts'
import { isUid } from '../../../lib/ids.ts'
import { type Page, type Paged, paged } from '../../../lib/paging.ts'
import { maySeePage, openGame } from '../../games/service.ts'
import { readCovers } from '../../listings/images/service.ts'
import * as licenses from './license-queries.ts'
import { FILTER_TEXT_MAX, LIBRARY_PARTS, LIBRARY_SORTS, type LibraryItem } from './model.ts'
import * as queries from './queries.ts'

/** A person, on the website or behind a key. */
export type Holder = Pick<WebsiteUser, 'userUid' | 'adultContent'> & { isOperator?: boolean }

/** An unknown sort or part means the usual one. */
export function readLibraryFilter(query: {
  q?: string | undefined
  sort?: string | undefined
  show?: string | undefined
}): LibraryFilter {
  const sort = LIBRARY_SORTS.find((known) => known === query.sort) ?? 'newest'
  const show = LIBRARY_PARTS.find((known) => known === query.show) ?? 'all'
  return { text: (query.q ?? '').trim().slice(0, FILTER_TEXT_MAX), sort, show }
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
    await toItems(deps, user, rows),
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
 * if the listing is paid now; a gift that waits is accepted by it.
 */
export async function claimGame(
  deps: Deps,
  user: Holder,
  ref: string,
): Promise<{ item: LibraryItem; isNew: boolean }> {
  const { game, role } = await openGame(deps.db, user, ref, 'see')
  if (!maySeePage(game.visibility, null)) throw new AppError('not_found')
  const held = await licenses.findStanding(deps.db, user.userUid, game.uid)
  if (!held?.license && game.priceCents > 0) {
    throw new AppError('buy_to_download', {
      message: `${game.name} is not free. Buy it instead.`,
      data: {
        browse_url: listingUrl(deps.config.baseUrl, game.vanityName),
        price_cents: game.priceCents,
      },
    })
  }
  if (role === null) requireAdultContent(user, game, `add ${game.name} to your library`)
  const { userUid } = user
  const values = {
    userUid,
    gameUid: game.uid,
    gameName: game.name,
    source: 'claimed',
    pending: false,
  } as const
  const isNew = !held?.license && (await licenses.insertLicense(deps.db, values))
  if (held?.license?.pending || held?.license?.hiddenAt)
    await licenses.keepLicense(deps.db, userUid, game.uid)
  return { item: await readLibraryItem(deps, user, game.uid), isNew }
}

function requireAdultContent(user: Holder, game: { adult: boolean }, aim: string): void {
  if (game.adult && !user.adultContent) throw new AppError('forbidden', { message: adultMessage(aim) })
}

/** Of a gift. Again, or for any other licence, it changes nothing. */
export async function acceptLicense(deps: Deps, user: Holder, gameUid: string): Promise<LibraryItem> {
  const row = isUid(gameUid) ? await queries.findLibraryRow(deps.db, user.userUid, gameUid) : undefined
  if (!row?.game) throw new AppError('not_found')
  if (row.license.pending) {
    requireAdultContent(user, row.game, `accept ${row.license.gameName ?? 'it'}`)
    await licenses.keepLicense(deps.db, user.userUid, gameUid)
  }
  return await readLibraryItem(deps, user, gameUid)
}

/** Out of the library, which also declines a gift, or back into it. The licence itself stays. */
export async function setHidden(
  deps: Deps,
  user: Holder,
  gameUid: string,
  isHidden: boolean,
): Promise<LibraryItem> {
  const hiddenAt = isHidden ? new Date() : null
  const isHeld = isUid(gameUid) && (await licenses.hideLicense(deps.db, user.userUid, gameUid, hiddenAt))
  if (!isHeld) throw new AppError('not_found')
  return await readLibraryItem(deps, user, gameUid)
}

export async function joinBeta(deps: Deps, user: WebsiteUser, ref: string): Promise<LibraryItem> {
  return await readLibraryItem(deps, user, await setBeta(deps.db, user, ref, true))
}

export async function leaveBeta(deps: Deps, user: WebsiteUser, ref: string): Promise<void> {
  await setBeta(deps.db, user, ref, false)
}

async function setBeta(db: Db, user: WebsiteUser, ref: string, beta: boolean): Promise<string> {
  const { game } = await openGame(db, user, ref, 'see')
  if (!(await licenses.updateBeta(db, user.userUid, game.uid, beta))) throw licenseNeeded()
  return game.uid
}

export async function findLicense(
  db: Db,
  userUid: string,
  gameUid: string,
): Promise<licenses.LicenseRow | undefined> {
  return await licenses.findLicense(db, userUid, gameUid)
}

/** The public listings of these types that the player has a licence for, always in the same order. */
export async function listOwnedUids(db: Db, userUid: string, types: readonly AssetType[]): Promise<string[]> {
  return await queries.listOwnedUids(db, userUid, types)
}

export async function requireLicense(db: Db, userUid: string, gameUid: string): Promise<void> {
  if (!(await licenses.findLicense(db, userUid, gameUid))) throw licenseNeeded()
}

/** Locks the licence until the transaction ends, which serialises a player's changes to one game. */
export async function lockLicense(tx: Transaction, userUid: string, gameUid: string): Promise<void> {
  if (!(await licenses.findLicense(tx, userUid, gameUid, true))) throw licenseNeeded()
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

export async function readLibraryItem(deps: Deps, user: Holder, gameUid: string): Promise<LibraryItem> {
  const row = await queries.findLibraryRow(deps.db, user.userUid, gameUid)
  const [item] = await toItems(deps, user, row ? [row] : [])
  if (!item) throw new AppError('not_found')
  return item
}

async function toItems(
  deps: Deps,
  user: Holder,
  rows: readonly queries.LibraryRow[],
): Promise<LibraryItem[]> {
  const shown = rows.flatMap(({ game }) =>
    isOpen(game) && (user.adultContent || !game.adult) ? [game.uid] : [],
  )
  const covers = await readCovers(deps, shown)
  return rows.map(({ game, license, isPaid, playSeconds }) => ({
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
    pending: license.pending,
    hidden: license.hiddenAt !== null,
    unavailable: findObstacle(user, { game, license, isPaid }),
    removed_at: license.removedAt?.toISOString() ?? null,
  }))
}

/** Why the holder cannot have the files; owners and admins, whom this does not know, always can. */
function findObstacle(
  { adultContent }: Holder,
  { game, license, isPaid }: Pick<queries.LibraryRow, 'game' | 'license' | 'isPaid'>,
): LibraryItem['unavailable'] {
  if (license.pending) return 'pending'
  if (!game) return 'missing'
  const { visibility, adult, isTakenDown: isBlocked } = game
  const person = { isMaker: false, adultContent, license: { ...license, isPaid } }
  const refusal = entitlement({ visibility, adult, isBlocked, freeFor: 'nobody', person }, STABLE)
  return refusal === null || refusal === 'adult' ? refusal : 'missing'
}

/** What the holder of a licence sees of a page that is hidden or deleted, beside its uid and name. */
const CLOSED = { vanity_name: null, asset_type: null, url: null, cover: null } as const

function isOpen(game: queries.LibraryRow['game']): game is NonNullable<queries.LibraryRow['game']> {
  return game !== null && maySeePage(game.visibility, null)
}
