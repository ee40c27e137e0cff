import type { Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import { studioUrl } from '../../../domain/site-urls.ts'
import { AppError } from '../../../errors.ts'
import { isUid } from '../../../lib/ids.ts'
import { recordNotice } from '../../games/notice-events.ts'
import { type GameRow, markEdited } from '../../games/service.ts'
import { lockWholeGame } from '../../games/shared-queries.ts'
import { mailOwner } from '../../listings/page/visibility.ts'
import { postRestoredMail, postTakenDownMail } from './mails.ts'
import * as queries from './queries.ts'

interface Judged {
  game: GameRow
  post: queries.PostRow
}

/** Locked against edits until the transaction ends. */
export async function lockPost(tx: Transaction, uid: string): Promise<Judged> {
  const gameUid = isUid(uid) ? await queries.findGameOf(tx, uid) : undefined
  const game = gameUid === undefined ? undefined : await lockWholeGame(tx, gameUid)
  const row = game && (await queries.findPost(tx, game.uid, uid))
  if (!game || !row) throw new AppError('not_found')
  return { game, post: row.post }
}

/** Hides the post from everyone but those who write it. Nothing may follow in the transaction. */
export async function takeDownPost(
  deps: Deps,
  tx: Transaction,
  { game, post }: Judged,
  reason: string,
): Promise<void> {
  if (post.takenDown) throw new AppError('taken', { message: 'This post is already taken down.' })
  await queries.setTakenDown(tx, post.uid, { at: new Date().toISOString(), reason })
  await markEdited(tx, game.uid)
  await mailOwner(deps, tx, game, (page) => postTakenDownMail(page, post.title, reason))
  await tellOwner(tx, { game, post }, `was taken down: ${reason}`)
}

/** A post whose time has passed meanwhile is published by the next run of the schedule. */
export async function restorePost(deps: Deps, tx: Transaction, { game, post }: Judged): Promise<void> {
  if (!post.takenDown) throw new AppError('taken', { message: 'This post is not taken down.' })
  await queries.setTakenDown(tx, post.uid, null)
  await markEdited(tx, game.uid)
  await mailOwner(deps, tx, game, (page) => postRestoredMail(page, post.title))
  await tellOwner(tx, { game, post }, 'was restored.')
}

async function tellOwner(tx: Transaction, { game, post }: Judged, what: string): Promise<void> {
  await recordNotice(tx, {
    kind: 'operator',
    gameUid: game.uid,
    userUid: game.ownerUid,
    facts: {
      title: post.title,
      text: `Your post ${what}`,
      path: studioUrl('', game.vanityName, 'posts'),
    },
  })
}
