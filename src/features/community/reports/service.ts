import type { Db } from '../../../db/client.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { openGame } from '../../games/service.ts'
import type { Report, ReportInput } from './model.ts'
import { insertReport } from './queries.ts'

/** Tells the operators what is wrong with a page. */
export async function reportPage(
  db: Db,
  user: WebsiteUser,
  ref: string,
  input: ReportInput,
): Promise<Report> {
  const { game } = await openGame(db, user, ref, 'see')
  const { uid, reason, text, createdAt } = await insertReport(db, {
    gameUid: game.uid,
    userUid: user.userUid,
    reason: input.reason,
    text: input.text.trim(),
  })
  return { uid, reason, text, created_at: createdAt.toISOString() }
}
