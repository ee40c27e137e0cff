import type { Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { OPEN_VISIBILITIES, type Visibility } from '../../../domain/listings/visibility.ts'
import { AppError } from '../../../errors.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { holdPolicies } from '../../settings/service.ts'
import { requirePassing } from '../check/service.ts'
import { refuseOpenAdult } from './adult-policy.ts'
import { announceWaiting } from './jobs.ts'
import { publicationApprovedMail, publicationDeclinedMail } from './mails.ts'
import { mailOwner } from './owner-mail.ts'
import * as queries from './queries.ts'
import { storeVisibility } from './store-visibility.ts'

/** Whether the page waits for an operator: the first one that a developer opens to others, where the store asks for it. */
export async function mustWait(
  tx: Transaction,
  user: WebsiteUser,
  game: queries.GameRow,
  to: Visibility,
): Promise<boolean> {
  const isOpen = (visibility: Visibility) => OPEN_VISIBILITIES.some((open) => open === visibility)
  if (!isOpen(to) || user.isOperator || (await holdPolicies(tx)).publishing === 'anyone') return false
  return !(await queries.hasPublished(tx, game.ownerUid))
}

/** Puts the page into the queue of the operators, who are told unless it waits there already. */
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
}

function requirePending({ pendingPublication }: queries.GameRow) {
  if (!pendingPublication) throw new AppError('taken', { message: 'This publication no longer waits.' })
  return pendingPublication
}
