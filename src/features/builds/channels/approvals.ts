import { sendMail } from '../../../clients/mail/jobs.ts'
import type { Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { Agent, WebsiteUser } from '../../../domain/actor.ts'
import { STABLE } from '../../../domain/channels.ts'
import { approvalUrl } from '../../../domain/site-urls.ts'
import { AppError } from '../../../errors.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { sha256Hex } from '../../../lib/hash.ts'
import { createSecret, isUid } from '../../../lib/ids.ts'
import { nameAuthor } from '../../games/history.ts'
import { type GameRow, lockGame, openGame } from '../../games/service.ts'
import { requireBuild } from '../rows/service.ts'
import type { BuildRow } from '../rows/shared-queries.ts'
import * as queries from './approval-queries.ts'
import { requireClean } from './builds.ts'
import { approvalMail } from './mails.ts'
import type { Decided, Decision } from './model.ts'
import { promoteBuild } from './moves.ts'

const LIFETIME_HOURS = 72

/** The request as the owner sees it. */
export interface Approval {
  listing: string
  app: string
  version: string
  title: string
  platform: string
  /** The program, and the person it acts for. */
  askedBy: string
}

/** Needs the game's lock. Mails the owner once per build, however often the agent asks. */
export async function requestApproval(
  deps: Deps,
  tx: Transaction,
  agent: Agent,
  game: GameRow,
  build: BuildRow,
): Promise<void> {
  await requireClean(tx, build)
  const now = new Date()
  await queries.deleteExpiredRequests(tx, game.uid, now)
  if (await queries.hasOpenRequest(tx, build.uid, STABLE, now)) return
  const token = createSecret()
  const askedBy = await nameAuthor(tx, agent)
  await queries.insertRequest(tx, {
    gameUid: game.uid,
    channel: STABLE,
    buildUid: build.uid,
    requestedBy: agent.userUid,
    askedBy,
    tokenHash: sha256Hex(token),
    expiresAt: new Date(now.getTime() + LIFETIME_HOURS * 3_600_000),
  })
  const owner = await queries.findRecipient(tx, game.ownerUid)
  if (!owner) throw new Error('The listing has no owner')
  const mail = approvalMail(owner, {
    listing: game.name,
    version: build.version,
    platform: `${build.os} ${build.arch}`,
    askedBy,
    link: approvalUrl(deps.config.baseUrl, token),
    hours: LIFETIME_HOURS,
  })
  await enqueue(tx, sendMail, mail)
}

/** null when the link is unknown, used or expired. */
export async function readApproval(deps: Deps, token: string): Promise<Approval | null> {
  const open = await queries.findOpenRequest(deps.db, sha256Hex(token), new Date())
  return open ? showApproval(open) : null
}

/** The open requests of a listing, for those who can edit it. */
export async function listApprovals(
  deps: Deps,
  actor: WebsiteUser,
  ref: string,
): Promise<(Approval & { uid: string })[]> {
  const { game } = await openGame(deps.db, actor, ref, 'edit')
  const open = await queries.listOpenRequests(deps.db, game.uid, new Date())
  return open.map((row) => ({ uid: row.request.uid, ...showApproval(row) }))
}

function showApproval({ listing, app, build, request }: queries.OpenRequest): Approval {
  const { version, title, os, arch } = build
  return { listing, app: app.name, version, title, platform: `${os} ${arch}`, askedBy: request.askedBy }
}

/** Records the owner's decision, once. The request stays open while the build has a file that is not clean. */
export async function decideApproval(
  deps: Deps,
  actor: WebsiteUser,
  token: string,
  decision: Decision,
): Promise<Decided> {
  return await deps.db.transaction(async (tx) => {
    const open = await queries.findOpenRequest(tx, sha256Hex(token), new Date())
    return await decide(tx, actor, open, decision)
  })
}

/** The same without the mailed token: the session of the owner is enough. */
export async function decideApprovalOf(
  deps: Deps,
  actor: WebsiteUser,
  gameUid: string,
  uid: string,
  decision: Decision,
): Promise<Decided> {
  return await deps.db.transaction(async (tx) => {
    const open = isUid(uid) ? await queries.findOpenRequestByUid(tx, gameUid, uid, new Date()) : undefined
    return await decide(tx, actor, open, decision)
  })
}

async function decide(
  tx: Transaction,
  actor: WebsiteUser,
  open: queries.OpenRequest | undefined,
  decision: Decision,
): Promise<Decided> {
  if (!open) throw new AppError('not_found')
  const { uid, gameUid, buildUid, channel, askedBy } = open.request
  await lockGame(tx, actor, gameUid, 'own')
  if (!(await queries.markDecided(tx, uid, new Date()))) throw new AppError('not_found')
  if (decision === 'reject') return { approval: 'rejected' }
  await promoteBuild(tx, await requireBuild(tx, gameUid, buildUid), channel, askedBy)
  return { approval: 'approved' }
}
