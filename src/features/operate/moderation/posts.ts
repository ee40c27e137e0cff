import type { Db } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { AppError } from '../../../errors.ts'
import { isUid } from '../../../lib/ids.ts'
import { respond } from '../../../lib/respond.ts'
import { renderMarkdown } from '../../../lib/text/markdown.ts'
import { recordAct } from '../../audit/service.ts'
import { lockPost, restorePost, takeDownPost } from '../../community/posts/moderation.ts'
import { OperatorPost } from './model.ts'
import * as queries from './queries.ts'

export async function getOperatorPost(db: Db, uid: string): Promise<OperatorPost> {
  const row = isUid(uid) ? await queries.findPost(db, uid) : undefined
  if (!row) throw new AppError('not_found')
  return toOperatorPost(row)
}

/** Hides one post; the page of its listing stays. */
export async function takeDownPostOf(
  deps: Deps,
  operator: WebsiteUser,
  uid: string,
  reason: string,
): Promise<OperatorPost> {
  await deps.db.transaction(async (tx) => {
    const judged = await lockPost(tx, uid)
    await queries.resolveReportsOfPost(tx, judged.post.uid)
    const { title: name } = judged.post
    await recordAct(tx, operator, {
      act: 'take_down_post',
      subject: 'post',
      id: judged.post.uid,
      name,
      reason,
    })
    await takeDownPost(deps, tx, judged, reason)
  })
  return await getOperatorPost(deps.db, uid)
}

export async function restorePostOf(
  deps: Deps,
  operator: WebsiteUser,
  uid: string,
  reason?: string,
): Promise<OperatorPost> {
  await deps.db.transaction(async (tx) => {
    const judged = await lockPost(tx, uid)
    const { title: name } = judged.post
    await recordAct(tx, operator, { act: 'restore_post', subject: 'post', id: judged.post.uid, name, reason })
    await restorePost(deps, tx, judged)
  })
  return await getOperatorPost(deps.db, uid)
}

function toOperatorPost({ post, game, person, openReports }: queries.PostRow): OperatorPost {
  const { uid, vanityName, name, ownerUid } = game
  return respond(OperatorPost, post, {
    html: renderMarkdown(post.markdown),
    listing: { uid, vanity_name: vanityName, name },
    owner: { uid: ownerUid, username: person.username, display_name: person.displayName },
    open_reports: openReports,
  })
}
