import { countLasting } from '../../../clients/rate-store/count-request.ts'
import type { Db, Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { Agent, WebsiteUser } from '../../../domain/actor.ts'
import { LIMITS } from '../../../domain/limit-table.ts'
import type { Visibility } from '../../../domain/listings/visibility.ts'
import { listingUrl } from '../../../domain/site-urls.ts'
import { AppError } from '../../../errors.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { createUid } from '../../../lib/ids.ts'
import { mapPage, type Page, type Paged } from '../../../lib/paging.ts'
import { closeUnpayableOrders } from '../../games/open-orders.ts'
import { refuseIfPinned } from '../../games/pinned.ts'
import {
  changeGame,
  type GameAccess,
  lockGame,
  notifyWithNeighbours,
  openGame,
  refuseTakenDown,
  type Role,
} from '../../games/service.ts'
import { lockGameRow } from '../../games/shared-queries.ts'
import { hasPaidOrders } from '../../games/shared-sale-queries.ts'
import { sendMail } from '../../mail/jobs.ts'
import { discardImmediately, discardObjects } from '../../storage/service.ts'
import { listObjectsOfGame } from '../../storage/shared-queries.ts'
import type { LintReport } from '../check/model.ts'
import { changePage, loadReport, requirePassing } from '../check/service.ts'
import { loadCovers } from '../images/service.ts'
import { refusePriceWhileAnonymous } from '../pricing/service.ts'
import { parseOwnFields } from './fields.ts'
import { toListing, toSummary } from './listing-response.ts'
import { parentDeletedMail } from './mails.ts'
import {
  DRAFTS_MAX,
  type EditableListing,
  type ListingInput,
  type ListingPatch,
  type ListingSummary,
} from './model.ts'
import { claimVanityName, generateVanityName, rename } from './names.ts'
import { recordEdit } from './notices.ts'
import * as queries from './queries.ts'
import { deleteGame, endLicenses, type GameRow, moveParentOutside } from './queries.ts'
import { loadTypeFields, saveRelations } from './relations.ts'
import { awaitApproval, mustWait, refuseOpenAdult, storeVisibility } from './visibility.ts'

/** A listing with the revision that If-Match is compared with. */
export interface Revised {
  listing: EditableListing
  revision: number
}

/** A listing, and the caller's role. */
interface Work {
  game: queries.GameRow
  role: Role
}

/** Throws when the caller's revision is not the current one. */
type RevisionCheck = (revision: number) => void

export async function createListing(deps: Deps, user: WebsiteUser, input: ListingInput): Promise<Revised> {
  return await deps.db.transaction(async (tx) => {
    const game = await startListing(tx, user, input)
    return await revised(deps, tx, user, { game, role: 'owner' })
  })
}

/** Creates a draft that the caller owns. */
export async function startListing(
  tx: Transaction,
  user: WebsiteUser,
  input: ListingInput,
): Promise<queries.GameRow> {
  await refuseTooManyProjects(tx, user.userUid)
  const uid = createUid()
  const { vanity_name: wanted, name, asset_type: assetType } = input
  const vanityName =
    wanted === undefined
      ? await generateVanityName(tx, uid, user.username, input)
      : await claimVanityName(tx, uid, wanted)
  const draft = await queries.insertGame(tx, { uid, ownerUid: user.userUid, name, vanityName, assetType })
  return await patchListing(tx, user, draft, { ...input, vanity_name: vanityName })
}

/** Counts first: other new projects of the account then wait, so that none exceeds the bound. */
async function refuseTooManyProjects(tx: Transaction, ownerUid: string): Promise<void> {
  const { max } = LIMITS.new_project
  await countLasting(tx, 'new_project', ownerUid, `You can start ${max} projects an hour.`)
  if ((await queries.countDrafts(tx, ownerUid)) >= DRAFTS_MAX) {
    throw new AppError('taken', {
      message: `You already have ${DRAFTS_MAX} drafts. Publish or delete one, then start the next.`,
    })
  }
}

export async function listListings(
  deps: Deps,
  user: WebsiteUser | Agent,
  page: Page,
): Promise<Paged<ListingSummary>> {
  const rows = await queries.pageGames(deps.db, user.userUid, page)
  const covers = await loadCovers(
    deps,
    rows.items.map(({ uid }) => uid),
  )
  return mapPage(rows, (row) => {
    const role = row.ownerUid === user.userUid ? 'owner' : 'admin'
    return toSummary(deps.config.baseUrl, row, role, covers.get(row.uid)?.cover ?? null)
  })
}

export async function getListing(deps: Deps, user: WebsiteUser | Agent, ref: string): Promise<Revised> {
  return await revised(deps, deps.db, user, requireRole(await openGame(deps.db, user, ref, 'edit')))
}

/** All or nothing. Edits of one listing are serialised, so that none is lost. */
export async function editListing(
  deps: Deps,
  user: WebsiteUser,
  ref: string,
  patch: ListingPatch,
  checkRevision: RevisionCheck,
): Promise<Revised> {
  return await deps.db.transaction(async (tx) => {
    const { game, role } = requireRole(await lockGame(tx, user, ref, 'edit'))
    checkRevision(game.revision)
    await notifyWithNeighbours(tx, game.uid)
    const edited = await changePage(tx, game, () => patchListing(tx, user, game, patch))
    await notifyWithNeighbours(tx, game.uid)
    const answer = await revised(deps, tx, user, { game: edited, role })
    await recordEdit(tx, game, edited)
    return answer
  })
}

/** The caller must have edit permission and hold the lock of the game, inside `changePage`. */
export async function patchListing(
  tx: Transaction,
  editor: WebsiteUser,
  game: queries.GameRow,
  patch: ListingPatch,
): Promise<queries.GameRow> {
  const values = {
    ...parseOwnFields(patch, game),
    ...(await loadTypeFields(tx, editor, game, patch)),
  }
  refusePriceWhileAnonymous(game, values.priceCents ?? 0)
  if (patch.vanity_name !== undefined)
    Object.assign(values, { vanityName: await rename(tx, editor, game, patch.vanity_name) })
  await saveRelations(tx, game, patch)
  const { adult = game.adult } = values
  if (adult && !game.adult) await refuseOpenAdult(tx, { adult, visibility: game.visibility })
  const patched = await queries.updateGame(tx, game.uid, values)
  if (adult && !game.adult) await closeUnpayableOrders(tx, { gameUid: game.uid })
  return patched
}

/** Admins can move a page between draft, invisible and public; only the owner can set or leave `owner`. */
export async function moveVisibility(
  deps: Deps,
  user: WebsiteUser,
  ref: string,
  to: Visibility,
  checkRevision: RevisionCheck,
): Promise<Revised> {
  return await deps.db.transaction(async (tx) => {
    const { game, role } = requireRole(await lockGame(tx, user, ref, 'edit'))
    checkRevision(game.revision)
    if (role === 'admin' && (to === 'owner' || game.visibility === 'owner')) {
      throw new AppError('forbidden', {
        message: 'Only the owner can make a page private or reopen it.',
      })
    }
    refuseTakenDown(game)
    if (game.visibility === to && !game.pendingPublication)
      return await revised(deps, tx, user, { game, role })
    if (to === 'public') await requirePassing(tx, game.uid)
    await refuseOpenAdult(tx, { adult: game.adult, visibility: to })
    const moved = (await mustWait(tx, user, game, to))
      ? await awaitApproval(tx, game, to)
      : await storeVisibility(tx, game, to)
    return await revised(deps, tx, user, { game: moved, role })
  })
}

/**
 * Deletes everything it stored: builds, symbols, images and unfinished uploads. Download links stop immediately.
 * Children and licences stay.
 */
export async function deleteListing(deps: Deps, user: WebsiteUser, ref: string): Promise<void> {
  const objects = await changeGame(deps.db, user, ref, 'own', async (tx, game) => {
    refuseTakenDown(game)
    if (game.visibility !== 'draft') {
      throw new AppError('taken', { message: 'Only drafts can be deleted. Make the page a draft first.' })
    }
    if (await hasPaidOrders(tx, game.uid)) {
      throw new AppError('taken', {
        message:
          'People bought it and keep their downloads, so it cannot be deleted. As a draft it is hidden and no longer sold.',
      })
    }
    await notifyWithNeighbours(tx, game.uid)
    // Waits for uploads that are being recorded, which refer to the listing, and blocks others from being
    // recorded.
    await lockGameRow(tx, game.uid, 'update')
    await refuseIfPinned(tx, game.uid, null)
    const objects = await listObjectsOfGame(tx, game.uid)
    await releaseChildren(deps, tx, game)
    await endLicenses(tx, game)
    await deleteGame(tx, game.uid)
    await discardObjects(tx, objects)
    return objects
  })
  await discardImmediately(deps, objects)
}

export async function getReport(deps: Deps, user: WebsiteUser | Agent, ref: string): Promise<LintReport> {
  const { game } = await openGame(deps.db, user, ref, 'edit')
  return await loadReport(deps.db, game.uid)
}

async function revised(deps: Deps, db: Db, reader: WebsiteUser | Agent, work: Work): Promise<Revised> {
  return { listing: await toListing(deps, db, reader, work), revision: work.game.revision }
}

function requireRole({ game, role }: GameAccess): Work {
  if (role === null) throw new AppError('forbidden')
  return { game, role }
}

/**
 * Mods, expansions and the like must have a parent. Those of a deleted listing keep its name and address as an
 * external one, and their owners are told.
 */
async function releaseChildren(
  { config }: Pick<Deps, 'config'>,
  tx: Transaction,
  parent: GameRow,
): Promise<void> {
  const url = parent.website ?? listingUrl(config.baseUrl, parent.vanityName)
  const orphans = await moveParentOutside(tx, parent.uid, { name: parent.name, url })
  const byOwner = Map.groupBy(orphans, ({ ownerUid }) => ownerUid)
  for (const [ownerUid, children] of byOwner) {
    const [owner] = children
    if (!owner || ownerUid === parent.ownerUid) continue
    const pages = children.map(({ title, vanityName }) => ({
      title,
      url: listingUrl(config.baseUrl, vanityName),
    }))
    await enqueue(tx, sendMail, parentDeletedMail(owner, { parent: parent.name, pages }))
  }
}
