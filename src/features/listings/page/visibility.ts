import type { MailMessage } from '../../../clients/mail/mail.ts'
import type { Transaction } from '../../../db/client.ts'
import { notify } from '../../../db/notify/notify.ts'
import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { OPEN_VISIBILITIES, type Visibility } from '../../../domain/listings/visibility.ts'
import { listingUrl } from '../../../domain/site-urls.ts'
import { AppError } from '../../../errors.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { DAY_MS } from '../../../lib/time.ts'
import { indexListings } from '../../games/jobs.ts'
import { closeUnpayableOrders } from '../../games/open-orders.ts'
import { ALL_GAMES, GAME_CHANGED, GAME_TAKEN_DOWN, notifyWithNeighbours } from '../../games/service.ts'
import { sendMail } from '../../mail/jobs.ts'
import { lockPolicies } from '../../settings/service.ts'
import { loadReport, requirePassing } from '../check/service.ts'
import { announceWaiting } from './jobs.ts'
import {
  graceEndedMail,
  graceEndsMail,
  type MailedPage,
  publicationApprovedMail,
  publicationDeclinedMail,
  restoredMail,
  takenDownMail,
} from './mails.ts'
import { recordNewGame, recordOperatorAct } from './notices.ts'
import * as queries from './queries.ts'

export async function storeVisibility(
  tx: Transaction,
  game: queries.GameRow,
  to: Visibility,
): Promise<queries.GameRow> {
  const now = new Date()
  const moved = await queries.updateGame(tx, game.uid, {
    visibility: to,
    pendingPublication: null,
    graceWarnedAt: null,
    ...(to === 'public' ? { publishedAt: game.publishedAt ?? now, publicSince: now } : { publicSince: null }),
  })
  await closeUnpayableOrders(tx, { gameUid: game.uid })
  await notifyWithNeighbours(tx, game.uid)
  if (to === 'public' && game.publishedAt === null) await recordNewGame(tx, moved)
  return moved
}

/** Sent once the transaction commits. */
export async function mailOwner(
  { config }: Pick<Deps, 'config'>,
  tx: Transaction,
  { uid, vanityName }: queries.GameRow,
  compose: (page: MailedPage) => MailMessage,
): Promise<void> {
  const owner = await queries.findOwnerAddress(tx, uid)
  if (owner) await enqueue(tx, sendMail, compose({ ...owner, url: listingUrl(config.baseUrl, vanityName) }))
}

const NO_ADULT_CONTENT = 'This store does not allow adult content.'

/**
 * Hides every adult page as a take-down does, which all readers of pages respect, and remembers its
 * visibility.
 */
export async function hideAdultPages(tx: Transaction): Promise<void> {
  await queries.hideAdult(tx, NO_ADULT_CONTENT)
  await closeUnpayableOrders(tx, 'all')
  await announceAll(tx)
}

/** Undoes `hideAdultPages`; pages that operators took down themselves stay down. */
export async function showAdultPages(tx: Transaction): Promise<void> {
  await queries.showAdult(tx, 'This store allows adult content again.')
  await announceAll(tx)
}

async function announceAll(tx: Transaction): Promise<void> {
  await notify(tx, GAME_CHANGED, ALL_GAMES)
  await notify(tx, GAME_TAKEN_DOWN, ALL_GAMES)
  await enqueue(tx, indexListings, {})
}

/** Locks the policy until the transaction ends, so that no page becomes open while it changes. */
export async function refuseOpenAdult(
  tx: Transaction,
  { adult, visibility }: { adult: boolean; visibility: Visibility },
): Promise<void> {
  if (!adult || !OPEN_VISIBILITIES.some((open) => open === visibility)) return
  if ((await lockPolicies(tx)).adult_content === 'allowed') return
  throw new AppError('listing_check_failed', {
    message: `${NO_ADULT_CONTENT} Keep the page a draft, or remove what makes it adult.`,
    data: {
      lint: {
        ok: false,
        errors: [{ code: 'adult_not_allowed', field: 'adult', message: NO_ADULT_CONTENT }],
        warnings: [],
      },
    },
  })
}

/**
 * Whether an operator must approve first: if the store requires it, for the first page a developer opens to
 * others.
 */
export async function mustWait(
  tx: Transaction,
  user: WebsiteUser,
  game: queries.GameRow,
  to: Visibility,
): Promise<boolean> {
  const isOpen = (visibility: Visibility) => OPEN_VISIBILITIES.some((open) => open === visibility)
  if (!isOpen(to) || user.isOperator || (await lockPolicies(tx)).publishing === 'anyone') return false
  return !(await queries.hasPublished(tx, game.ownerUid))
}

/** Puts the page into the queue of the operators, who get a notification unless it already waits there. */
export async function awaitApproval(
  tx: Transaction,
  game: queries.GameRow,
  to: Visibility,
): Promise<queries.GameRow> {
  if (!game.pendingPublication) await enqueue(tx, announceWaiting, {}, { key: announceWaiting.name })
  return await queries.setPendingPublication(tx, game.uid, { at: new Date().toISOString(), visibility: to })
}

/** Opens the page as its owner asked; from then on this developer publishes without waiting. */
export async function approvePublication(deps: Deps, tx: Transaction, game: queries.GameRow): Promise<void> {
  const { visibility } = requirePending(game)
  if (visibility === 'public') await requirePassing(tx, game.uid)
  await refuseOpenAdult(tx, { adult: game.adult, visibility })
  await queries.updateGame(tx, game.uid, { approvedAt: new Date() })
  await storeVisibility(tx, game, visibility)
  await mailOwner(deps, tx, game, publicationApprovedMail)
  await recordOperatorAct(tx, game, {
    title: 'Published',
    text: 'The operators of this store approved the publication.',
  })
}

export async function declinePublication(
  deps: Deps,
  tx: Transaction,
  game: queries.GameRow,
  reason: string,
): Promise<void> {
  requirePending(game)
  await queries.setPendingPublication(tx, game.uid, null)
  await mailOwner(deps, tx, game, (page) => publicationDeclinedMail(page, reason))
  await recordOperatorAct(tx, game, { title: 'Not published', text: reason })
}

function requirePending({ pendingPublication }: queries.GameRow) {
  if (!pendingPublication) throw new AppError('taken', { message: 'This publication no longer waits.' })
  return pendingPublication
}

/**
 * Makes the page visible to its owner only, which all readers of pages respect, and remembers its visibility.
 * Revision and dates stay, so that undoing it leaves no trace.
 */
export async function takeDownPage(
  deps: Deps,
  tx: Transaction,
  game: queries.GameRow,
  reason: string,
): Promise<void> {
  if (game.takenDown) throw new AppError('taken', { message: 'This page is already taken down.' })
  const { uid, visibility } = game
  const takenDown = { at: new Date().toISOString(), reason, visibility }
  await queries.setTakenDown(tx, uid, { visibility: 'owner', takenDown })
  await closeUnpayableOrders(tx, { gameUid: uid })
  await notifyWithNeighbours(tx, uid)
  await notify(tx, GAME_TAKEN_DOWN, uid)
  await mailOwner(deps, tx, game, (page) => takenDownMail(page, reason))
  await recordOperatorAct(tx, game, { title: 'Taken down', text: reason })
}

/** A page that no longer passes the listing check, because its owner edited it meanwhile, becomes a draft. */
export async function restorePage(deps: Deps, tx: Transaction, game: queries.GameRow): Promise<void> {
  if (!game.takenDown) throw new AppError('taken', { message: 'This page is not taken down.' })
  const before = game.takenDown.visibility
  await refuseOpenAdult(tx, { adult: game.adult, visibility: before })
  const isFine = before !== 'public' || (await loadReport(tx, game.uid)).ok
  await queries.setTakenDown(tx, game.uid, { visibility: isFine ? before : 'draft', takenDown: null })
  await notifyWithNeighbours(tx, game.uid)
  await mailOwner(deps, tx, game, restoredMail)
  await recordOperatorAct(tx, game, {
    title: 'Restored',
    text: isFine
      ? 'The operators of this store restored the page.'
      : 'The operators of this store restored the page, as a draft: it no longer passes the listing check.',
  })
}

const GRACE_DAYS = 30
const WARNING_DAYS = 7
const GRACE_BATCH = 100
const FIRST_UID = '00000000-0000-0000-0000-000000000000'

/**
 * Pages that were public on GRACE_START have 30 days to pass the check. Owners of failing pages get one mail seven
 * days before the end; then those pages become invisible. Idempotent.
 */
export async function enforceGracePeriod(deps: Deps, now: Date, signal?: AbortSignal): Promise<void> {
  if (deps.config.graceStart === null) return
  const start = new Date(deps.config.graceStart)
  const endsAt = new Date(start.getTime() + GRACE_DAYS * DAY_MS)
  if (now.getTime() < endsAt.getTime() - WARNING_DAYS * DAY_MS) return
  let after = FIRST_UID
  while (signal?.aborted !== true) {
    const pages = await queries.listGracePages(deps.db, start, after, GRACE_BATCH)
    for (const { uid } of pages)
      await deps.db.transaction((tx) => checkPageInGrace(deps, tx, uid, endsAt, now))
    const last = pages.at(-1)
    if (!last || pages.length < GRACE_BATCH) return
    after = last.uid
  }
}

async function checkPageInGrace(
  deps: Deps,
  tx: Transaction,
  uid: string,
  endsAt: Date,
  now: Date,
): Promise<void> {
  const game = await queries.lockPublicPage(tx, uid)
  if (!game) return
  const report = await loadReport(tx, uid)
  if (report.ok) return
  if (now >= endsAt) {
    await storeVisibility(tx, game, 'invisible')
    await mailOwner(deps, tx, game, (page) => graceEndedMail(page, report.errors))
  } else if (game.graceWarnedAt === null) {
    await queries.markWarned(tx, uid, now)
    await mailOwner(deps, tx, game, (page) => graceEndsMail(page, report.errors, endsAt))
  }
}
