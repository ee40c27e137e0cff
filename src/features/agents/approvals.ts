import type { Transaction } from '../../db/client.ts'
import { clockOf } from '../../db/clock.ts'
import type { Deps } from '../../deps.ts'
import type { WebsiteUser } from '../../domain/actor.ts'
import type { ApprovalKind } from '../../domain/reports.ts'
import { renderMarkdown } from '../../lib/text/markdown.ts'
import { approveWebhooks } from '../bugs/settings/service.ts'
import type { Decided, Decision } from '../builds/channels/model.ts'
import { approvePromotion } from '../builds/channels/promotion-request.ts'
import { approvePost } from '../community/posts/drafts.ts'
import {
  closeRequest,
  findOpenRequest,
  listOpenRequests,
  type OpenRequest,
  type RequestRef,
} from '../games/approval-requests.ts'
import { openGame } from '../games/service.ts'
import { approveEntry } from '../jams/entries/approval.ts'

/** A request of an agent, as the owner sees it. */
export interface Approval {
  uid: string
  kind: ApprovalKind
  listing: string
  ownerUid: string
  /** The program, and the person it acts for. */
  askedBy: string
  /** The build of a promotion; null for other requests. */
  build: { app: string; version: string; title: string; platform: string } | null
  /** The post to be published; null for other requests. */
  post: { title: string; html: string } | null
  /** The jam to be entered, and the note for its voters; null for other requests. */
  entry: { jam: string; slug: string; note: string } | null
  /** For webhooks: the complete list as it would be after the approval. */
  webhookUrls: readonly string[]
}

/** Carry out what was approved, by its kind. */
const APPROVERS: Readonly<
  Record<ApprovalKind, (deps: Deps, tx: Transaction, open: OpenRequest, arrival: Date) => Promise<void>>
> = {
  promotion: (_, tx, open) => approvePromotion(tx, open),
  webhooks: approveWebhooks,
  post: (_, tx, open) => approvePost(tx, open),
  jam_entry: approveEntry,
}

/** null when the link is unknown, used or expired. */
export async function findApproval(deps: Deps, token: string): Promise<Approval | null> {
  const open = await findOpenRequest(deps.db, { token })
  return open ? toApproval(open) : null
}

/** The open requests of a listing, for those who can edit it. */
export async function listApprovals(
  deps: Deps,
  actor: WebsiteUser,
  ref: string,
  kind: ApprovalKind,
): Promise<Approval[]> {
  const { game } = await openGame(deps.db, actor, ref, 'edit')
  return (await listOpenRequests(deps.db, game.uid, kind)).map(toApproval)
}

/**
 * Records the owner's decision, once, and carries it out. A request that cannot be carried out yet stays open.
 * `arrivedAt` is when the decision reached this process, by `performance.now()`.
 */
export async function decideApproval(
  deps: Deps,
  actor: WebsiteUser,
  ref: RequestRef,
  decision: Decision,
  arrivedAt = performance.now(),
): Promise<Decided> {
  // Measured outside of the transaction, which must not ask for another connection.
  const arrival = await clockOf(deps.db).toDatabaseTime(arrivedAt)
  return await deps.db.transaction(async (tx) => {
    const open = await closeRequest(tx, actor, ref)
    if (decision === 'reject') return { approval: 'rejected' }
    await APPROVERS[open.request.kind](deps, tx, open, arrival)
    return { approval: 'approved' }
  })
}

function toApproval({ listing, ownerUid, app, build, post, jam, request }: OpenRequest): Approval {
  const { uid, kind, askedBy, webhookUrls, entryNote } = request
  return {
    uid,
    kind,
    listing,
    ownerUid,
    askedBy,
    build: build && {
      app: app?.name ?? '',
      version: build.version,
      title: build.title,
      platform: `${build.os} ${build.arch}`,
    },
    entry: jam && { jam: jam.title, slug: jam.slug, note: entryNote ?? '' },
    post: post && { title: post.title, html: renderMarkdown(post.markdown) },
    webhookUrls: webhookUrls ?? [],
  }
}
