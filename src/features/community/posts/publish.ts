import { countLasting } from '../../../clients/rate-store/count-request.ts'
import type { Transaction } from '../../../db/client.ts'
import { isOutageError } from '../../../db/errors.ts'
import type { Deps } from '../../../deps.ts'
import { POSTS_PER_DAY } from '../../../domain/posts.ts'
import { postPath } from '../../../domain/site-urls.ts'
import { AppError } from '../../../errors.ts'
import { cutAtWord } from '../../../lib/text/characters.ts'
import { textOfMarkdown } from '../../../lib/text/markdown.ts'
import { recordNotice } from '../../games/notice-events.ts'
import { type GameRow, markEdited } from '../../games/service.ts'
import { lockWholeGame } from '../../games/shared-queries.ts'
import * as queries from './queries.ts'

const NOTICE_TEXT_MAX = 200
const BATCH = 100

/**
 * Makes a post public, and tells the followers once. The caller must hold the lock of the game, and nothing may follow
 * in the transaction: the time of the notice is taken here.
 */
export async function publishPost(
  tx: Transaction,
  game: Pick<GameRow, 'uid' | 'ownerUid' | 'vanityName'>,
  post: queries.PostRow,
): Promise<queries.PostRow> {
  const { uid, slug, title, markdown, takenDown, sendToFollowers, sentAt } = post
  if (takenDown) {
    throw new AppError('forbidden', {
      message: `The operators of this store took this post down: ${takenDown.reason} It cannot be published until they restore it.`,
    })
  }
  await countLasting(tx, 'post_publication', game.uid, `A page can publish ${POSTS_PER_DAY} posts a day.`)
  const isSent = sendToFollowers && sentAt === null
  const published = await queries.markPublished(tx, uid, isSent)
  await markEdited(tx, game.uid)
  if (isSent) {
    const text = cutAtWord(textOfMarkdown(markdown), NOTICE_TEXT_MAX)
    await recordNotice(tx, {
      kind: 'post',
      gameUid: game.uid,
      developerUid: game.ownerUid,
      postUid: uid,
      facts: { title, ...(text !== '' && { text }), path: postPath(game.vanityName, slug) },
      onceKey: `post ${uid}`,
    })
  }
  return published
}

/**
 * Publishes what is due. Each post has a transaction of its own, in which it is looked at again, so that two processes
 * publish it once. Posts over the limit of the day stay scheduled for a later run.
 */
export async function publishDue(deps: Pick<Deps, 'db' | 'log'>, signal: AbortSignal): Promise<void> {
  let after: queries.DuePost | null = null
  while (!signal.aborted) {
    const due: queries.DuePost[] = await queries.listDue(deps.db, after, BATCH)
    for (const { uid, gameUid } of due) {
      if (signal.aborted) return
      await publishOne(deps, gameUid, uid)
    }
    const last = due.at(-1)
    if (!last || due.length < BATCH) return
    after = last
  }
}

async function publishOne(
  { db, log }: Pick<Deps, 'db' | 'log'>,
  gameUid: string,
  uid: string,
): Promise<void> {
  try {
    await db.transaction(async (tx) => {
      const game = await lockWholeGame(tx, gameUid)
      const post = game && (await queries.findDue(tx, uid))
      if (post) await publishPost(tx, game, post)
    })
  } catch (error) {
    if (error instanceof AppError && error.kind === 'rate_limited') return
    if (isOutageError(error)) throw error
    log.error('A scheduled post could not be published', { post: uid, error })
  }
}
