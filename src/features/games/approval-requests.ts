import type { MailMessage, Recipient } from '../../clients/mail/mail.ts'
import type { Db, Transaction } from '../../db/client.ts'
import type { Deps } from '../../deps.ts'
import type { Agent, WebsiteUser } from '../../domain/actor.ts'
import type { ApprovalKind } from '../../domain/reports.ts'
import { approvalUrl } from '../../domain/site-urls.ts'
import { AppError } from '../../errors.ts'
import { enqueue } from '../../jobs/queue.ts'
import { sha256Hex } from '../../lib/bytes/hash.ts'
import { createSecret, isUid } from '../../lib/ids.ts'
import { sendMail } from '../mail/jobs.ts'
import * as queries from './queries.ts'
import { type GameRow, lockGame, nameAuthor } from './service.ts'

const LIFETIME_HOURS = 72

export type OpenRequest = queries.OpenRequest

/** Identifies an open request by the token of the mail or, for people who are signed in, by its uid. */
export type RequestRef = { token: string } | { gameUid: string; uid: string }

type Asked =
  | { kind: 'promotion'; channel: string; buildUid: string }
  | { kind: 'webhooks'; webhookUrls: string[] }
  | { kind: 'post'; postUid: string }
  | { kind: 'jam_entry'; jamUid: string; entryNote: string }

interface MailedRequest {
  /** The program, and the person it acts for. */
  askedBy: string
  link: string
  hours: number
}

/** Needs the game's lock. Stores the request, and mails its owner a link to the page where they decide. */
export async function askOwner(
  deps: Deps,
  tx: Transaction,
  agent: Agent,
  game: GameRow,
  asked: Asked,
  compose: (owner: Recipient, request: MailedRequest) => MailMessage,
): Promise<void> {
  const now = new Date()
  await queries.deleteExpiredRequests(tx, game.uid, now)
  const token = createSecret()
  const askedBy = await nameAuthor(tx, agent)
  await queries.insertRequest(tx, {
    gameUid: game.uid,
    ...asked,
    requestedBy: agent.userUid,
    clientId: agent.clientId,
    askedBy,
    tokenHash: sha256Hex(token),
    expiresAt: new Date(now.getTime() + LIFETIME_HOURS * 3_600_000),
  })
  const owner = await queries.findRecipient(tx, game.ownerUid)
  if (!owner) throw new Error('The listing has no owner')
  const link = approvalUrl(deps.config.baseUrl, token)
  await enqueue(tx, sendMail, compose(owner, { askedBy, link, hours: LIFETIME_HOURS }))
}

/** undefined when it is unknown, decided or expired. */
export async function findOpenRequest(db: Db, ref: RequestRef): Promise<OpenRequest | undefined> {
  if ('token' in ref) return await queries.findOpenRequest(db, sha256Hex(ref.token), new Date())
  if (!isUid(ref.uid)) return undefined
  return await queries.findOpenRequestByUid(db, ref.gameUid, ref.uid, new Date())
}

/** Oldest first. */
export async function listOpenRequests(db: Db, gameUid: string, kind: ApprovalKind): Promise<OpenRequest[]> {
  return await queries.listOpenRequests(db, gameUid, kind, new Date())
}

/** Only the owner can decide, and only once. */
export async function closeRequest(
  tx: Transaction,
  actor: WebsiteUser,
  ref: RequestRef,
): Promise<OpenRequest> {
  const open = await findOpenRequest(tx, ref)
  if (!open) throw new AppError('not_found')
  await lockGame(tx, actor, open.request.gameUid, 'own')
  if (!(await queries.markDecided(tx, open.request.uid, new Date()))) throw new AppError('not_found')
  return open
}
