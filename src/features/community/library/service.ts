import type { Db, Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import { toPerson, type WebsiteUser } from '../../../domain/actor.ts'
import { STABLE } from '../../../domain/builds/channels.ts'
import { adultMessage, entitlement, type EntitlementFacts } from '../../../domain/listings/entitlement.ts'
import type { AssetType } from '../../../domain/listings/listing.ts'
import { listingUrl } from '../../../domain/site-urls.ts'
import { AppError } from '../../../errors.ts'
import { isUid } from '../../../lib/ids.ts'
import { type Page, type Paged, paged } from '../../../lib/paging.ts'
import { respond } from '../../../lib/respond.ts'
import { requireUserNamed } from '../../accounts/service.ts'
import { type GameAccess, maySeePage, openGame, openPage } from '../../games/service.ts'
import { loadCovers } from '../../listings/images/service.ts'
import { followOwned } from '../follows/service.ts'
import { FILTER_TEXT_MAX, LIBRARY_PARTS, LIBRARY_SORTS, LibraryItem, type License } from './model.ts'
import * as queries from './queries.ts'

/** A person who is signed in on the website or uses a key. */
type Holder = Pick<WebsiteUser, 'userUid' | 'adultContent'> & { isOperator?: boolean }

/** An unknown sort or part falls back to the default. */
export function parseLibraryFilter(query: {
  q?: string | undefined
  sort?: string | undefined
  show?: string | undefined
}): LibraryFilter {
  const sort = LIBRARY_SORTS.find((known) => known === query.sort) ?? 'newest'
  const show = LIBRARY_PARTS.find((known) => known === query.show) ?? 'all'
  return { text: (query.q ?? '').trim().slice(0, FILTER_TEXT_MAX), sort, show }
}

export async function listLibrary(
  deps: Deps,
  user: Holder,
  page: Page,
  filter: LibraryFilter = parseLibraryFilter({}),
): Promise<Paged<LibraryItem>> {
  const rows = await queries.listLibrary(deps.db, user.userUid, page, filter)
  return paged(
    page,
    await toItems(deps, user, rows),
    rows[0]?.total ?? (await countBefore(deps, user, page, filter)),
  )
}

/** The total for an empty page, because the query returns it with each row. */
async function countBefore(deps: Deps, user: Holder, page: Page, filter: LibraryFilter): Promise<number> {
  return page.offset === 0 ? 0 : await queries.countLibrary(deps.db, user.userUid, filter)
}

export type LibraryFilter = queries.LibraryFilter

/**
 * Gives a licence for a free listing; for an invisible one the link is enough. An existing licence stays,
 * even if the listing has a price now; a pending gift is accepted.
 */
export async function claimGame(
  deps: Deps,
  user: Holder,
  ref: string,
): Promise<{ item: LibraryItem; isNew: boolean }> {
  const { game, role } = await openGame(deps.db, user, ref, 'see')
  if (!maySeePage(game.visibility, null)) throw new AppError('not_found')
  const held = await queries.findRelation(deps.db, user.userUid, game.uid)
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
  const isNew = await deps.db.transaction(async (tx) => {
    const isInserted = !held?.license && (await queries.insertLicense(tx, values))
    if (held?.license?.pending || held?.license?.hiddenAt) await queries.keepLicense(tx, userUid, game.uid)
    if (isInserted || held?.license?.pending) await followOwned(tx, userUid, game.uid)
    return isInserted
  })
  return { item: await loadLibraryItem(deps, user, game.uid), isNew }
}

function requireAdultContent(user: Holder, game: { adult: boolean }, aim: string): void {
  if (game.adult && !user.adultContent) throw new AppError('forbidden', { message: adultMessage(aim) })
}

/** Accepts a gift. Does nothing if it was already accepted or the licence is not a gift. */
export async function acceptLicense(deps: Deps, user: Holder, gameUid: string): Promise<LibraryItem> {
  const row = isUid(gameUid) ? await queries.findLibraryRow(deps.db, user.userUid, gameUid) : undefined
  if (!row?.game) throw new AppError('not_found')
  if (row.license.pending) {
    requireAdultContent(user, row.game, `accept ${row.license.gameName ?? 'it'}`)
    await deps.db.transaction(async (tx) => {
      if (await queries.keepLicense(tx, user.userUid, gameUid)) await followOwned(tx, user.userUid, gameUid)
    })
  }
  return await loadLibraryItem(deps, user, gameUid)
}

/**
 * Hides a listing in the library, which also declines a gift, or shows it again. The licence itself stays.
 */
export async function setHidden(
  deps: Deps,
  user: Holder,
  gameUid: string,
  isHidden: boolean,
): Promise<LibraryItem> {
  const hiddenAt = isHidden ? new Date() : null
  const isHeld = isUid(gameUid) && (await queries.hideLicense(deps.db, user.userUid, gameUid, hiddenAt))
  if (!isHeld) throw new AppError('not_found')
  return await loadLibraryItem(deps, user, gameUid)
}

export async function joinBeta(deps: Deps, user: WebsiteUser, ref: string): Promise<LibraryItem> {
  return await loadLibraryItem(deps, user, await setBeta(deps.db, user, ref, true))
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

export async function loadPlayMinutes(db: Db, userUid: string, gameUid: string): Promise<number> {
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

export async function loadLibraryItem(deps: Deps, user: Holder, gameUid: string): Promise<LibraryItem> {
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
  const covers = await loadCovers(deps, shown)
  return rows.map(({ game, license, isPaid, playSeconds, playedAt }) =>
    respond(LibraryItem, license, {
      game: isOpen(game)
        ? respond(LibraryItem.properties.game, game, {
            url: listingUrl(deps.config.baseUrl, game.vanityName),
            cover: covers.get(game.uid)?.cover ?? null,
          })
        : { ...CLOSED, uid: license.gameUid, name: license.gameName },
      since: license.createdAt,
      play_minutes: toMinutes(playSeconds),
      last_played_at: playedAt,
      order: license.orderUid,
      hidden: license.hiddenAt !== null,
      unavailable: findObstacle(user, { game, license, isPaid }),
    }),
  )
}

/** Why the licence gives no access to the files. Owners and admins always have access; this ignores them. */
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

/** Facts for the rule about who gets files; null if there is no such game. */
export async function findEntitlementFacts(
  db: Db,
  user: Holder,
  gameUid: string,
): Promise<NonNullable<EntitlementFacts['person']> | null> {
  const found = await queries.findRelation(db, user.userUid, gameUid)
  if (!found) return null
  const { isMaker, isPaid, license } = found
  const { adultContent } = user
  const held = license && { isPaid, beta: license.beta, pending: license.pending }
  return { isMaker, adultContent, license: held }
}

/** Returns what `open` finds or, if the page is hidden, a game that this person bought or redeemed. */
export async function openOwned(
  db: Db,
  user: Holder | null,
  ref: string,
  open: () => Promise<GameAccess> = () => openPage(db, user, ref),
): Promise<GameAccess> {
  try {
    return await open()
  } catch (error) {
    const isMissing = error instanceof AppError && error.kind === 'not_found'
    const game = isMissing && user ? await queries.findPaidGame(db, user.userUid, ref) : undefined
    if (!game) throw error
    return { game, role: null }
  }
}

/** Serialises changes to a licence by orders and keys until the transaction ends. */
export async function lockHolding(tx: Transaction, userUid: string, gameUid: string): Promise<void> {
  await queries.lockPair(tx, userUid, gameUid)
}

/** A licence that was claimed or granted stays as it is. Returns false when the listing is gone. */
export async function giveBoughtLicense(tx: Transaction, purchase: queries.Purchase): Promise<boolean> {
  const { userUid, gameUid, orderUid } = purchase
  const known = await queries.findLicense(tx, userUid, gameUid)
  await queries.upsertBought(tx, purchase)
  const isHeld = (await queries.findLicense(tx, userUid, gameUid)) !== undefined
  // An order that is written again, such as after a dispute, is nothing new.
  const isNew = known === undefined || (known.source === 'bought' && known.orderUid !== orderUid)
  if (isHeld && isNew) await followOwned(tx, userUid, gameUid)
  return isHeld
}

/** Ends only what was bought. */
export async function endBoughtLicense(tx: Transaction, userUid: string, gameUid: string): Promise<void> {
  await queries.deleteBought(tx, userUid, gameUid)
}

/** Returns false when the holder already has what the key is for. */
export async function giveRedeemedLicense(tx: Transaction, redemption: queries.Redemption): Promise<boolean> {
  const isNew = await queries.upsertRedeemed(tx, redemption)
  if (isNew) await followOwned(tx, redemption.userUid, redemption.gameUid)
  return isNew
}

/** The owner gives away a licence, also for a paid or hidden listing. It counts once its holder accepts it. */
export async function grantLicense(
  deps: Deps,
  user: WebsiteUser,
  ref: string,
  username: string,
): Promise<{ license: License; isNew: boolean }> {
  const { game } = await openGame(deps.db, user, ref, 'own')
  const { uid: userUid } = await requireUserNamed(deps.db, username)
  const values = {
    userUid,
    gameUid: game.uid,
    gameName: game.name,
    source: 'granted',
    pending: true,
  } as const
  const isNew = await queries.insertLicense(deps.db, values)
  if (!isNew) await queries.markGranted(deps.db, userUid, game.uid)
  const holder = await queries.findHolder(deps.db, userUid, game.uid)
  if (!holder) throw new AppError('not_found')
  return { license: toLicense(deps, holder), isNew }
}

export async function listLicenses(
  deps: Deps,
  user: WebsiteUser,
  ref: string,
  page: Page,
): Promise<Paged<License>> {
  const { game } = await openGame(deps.db, user, ref, 'edit')
  const [rows, total] = await Promise.all([
    queries.listHolders(deps.db, game.uid, page),
    queries.countHolders(deps.db, game.uid),
  ])
  return paged(
    page,
    rows.map((row) => toLicense(deps, row)),
    total,
  )
}

function toLicense({ config }: Deps, { person, source, pending, createdAt }: queries.HolderRow): License {
  return { ...toPerson(config.baseUrl, person), source, since: createdAt.toISOString(), pending }
}
