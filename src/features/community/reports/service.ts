import type { Db } from '../../../db/client.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { openGame } from '../../games/service.ts'
import { requirePublicPost } from '../posts/public-posts.ts'
import type { Report, ReportInput } from './model.ts'
import { insertReport } from './queries.ts'

/** Tells the operators what is wrong with a page, or with one of its posts. */
export async function reportPage(
  db: Db,
  user: WebsiteUser,
  ref: string,
  input: ReportInput,
): Promise<Report> {
  const { game } = await openGame(db, user, ref, 'see')
  const post = input.post === undefined ? null : await requirePublicPost(db, game.uid, input.post)
  const { uid, reason, text, postUid, createdAt } = await insertReport(db, {
    gameUid: game.uid,
    postUid: post,
    userUid: user.userUid,
    reason: input.reason,
    text: input.text.trim(),
  })
  return { uid, reason, text, post: postUid, created_at: createdAt.toISOString() }
}
