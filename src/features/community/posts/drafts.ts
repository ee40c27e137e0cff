import type { Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { Agent } from '../../../domain/actor.ts'
import { AppError } from '../../../errors.ts'
import { askOwner, listOpenRequests, type OpenRequest } from '../../games/approval-requests.ts'
import { changeGame, recordChangeBy } from '../../games/service.ts'
import { lockWholeGame } from '../../games/shared-queries.ts'
import { publicationMail } from './mails.ts'
import type { Post, PostPatch } from './model.ts'
import { publishPost } from './publish.ts'
import * as queries from './queries.ts'
import { requirePost, writePost } from './service.ts'

export type DraftPatch = Pick<PostPatch, 'title' | 'markdown' | 'kind'>

/** Programs write drafts only. A change ends an open request to publish the post, which the owner read before. */
export async function writeDraft(
  deps: Deps,
  agent: Agent,
  ref: string,
  uid: string | undefined,
  patch: DraftPatch,
): Promise<Post> {
  return await changeGame(deps.db, agent, ref, 'edit', async (tx, game) => {
    const before = uid === undefined ? null : (await requirePost(tx, game.uid, uid)).post
    if (before) {
      requireDraft(before)
      await queries.deleteOpenRequests(tx, before.uid)
    }
    return (await writePost(deps, tx, agent, game, before, patch)).post
  })
}

/** Mails the owner once per post, however often the program asks. */
export async function requestPublication(deps: Deps, agent: Agent, ref: string, uid: string): Promise<void> {
  await changeGame(deps.db, agent, ref, 'edit', async (tx, game) => {
    const { post } = await requirePost(tx, game.uid, uid)
    requireDraft(post)
    const open = await listOpenRequests(tx, game.uid, 'post')
    if (open.some(({ request }) => request.postUid === post.uid)) return
    await askOwner(deps, tx, agent, game, { kind: 'post', postUid: post.uid }, (owner, request) =>
      publicationMail(owner, { listing: game.name, title: post.title, ...request }),
    )
  })
}

/** Publishes what the owner approved. Nothing may follow in the transaction. */
export async function approvePost(tx: Transaction, { request }: OpenRequest): Promise<void> {
  const { gameUid, postUid, askedBy } = request
  const game = await lockWholeGame(tx, gameUid)
  if (!game || postUid === null) throw new AppError('not_found')
  const { post } = await requirePost(tx, gameUid, postUid)
  requireDraft(post)
  await recordChangeBy(tx, askedBy, gameUid, { kind: 'post_published', subject: post.title })
  await publishPost(tx, game, post)
}

function requireDraft({ state }: Pick<queries.PostRow, 'state'>): void {
  if (state === 'draft') return
  throw new AppError('taken', { message: `This post is ${state}, so programs can no longer change it.` })
}
