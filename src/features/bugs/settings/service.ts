import { randomBytes } from 'node:crypto'

import { composeMail, type MailMessage, type Recipient } from '../../../clients/mail/mail.ts'
import type { Db, Transaction } from '../../../db/client.ts'
import { encryptionContext } from '../../../db/reencrypt.ts'
import type { Deps } from '../../../deps.ts'
import type { Agent, WebsiteUser } from '../../../domain/actor.ts'
import { DAILY_CAP_DEFAULT } from '../../../domain/bugs.ts'
import { AppError, invalidFields } from '../../../errors.ts'
import { withoutLinks } from '../../../lib/text/names.ts'
import { askOwner, listOpenRequests, type OpenRequest } from '../../games/approval-requests.ts'
import {
  changeGame,
  type GameRow,
  notifyChange,
  openGame,
  recordChange,
  recordChangeBy,
} from '../../games/service.ts'
import type { BugReporter, BugReporterInput } from './model.ts'
import * as queries from './queries.ts'
import { explainUndelivered, parseWebhookUrls, restoreUrls, shortenUrl } from './webhook-urls.ts'

type Caller = WebsiteUser | Agent

const SETTINGS = ['enabled', 'daily_cap', 'webhook_urls'] as const
const READ_ONLY = ['webhooks', 'signing_key'] as const

export async function getReporter(deps: Deps, actor: Caller, ref: string): Promise<BugReporter> {
  const { game } = await openGame(deps.db, actor, ref, 'edit')
  return show(deps, actor, await loadReporter(deps.db, game.uid))
}

/** The signing key is created when the reporter is first turned on or gets a webhook; later it is kept. */
export async function changeReporter(
  deps: Deps,
  actor: Caller,
  ref: string,
  input: BugReporterInput,
): Promise<BugReporter & { approval?: 'pending' }> {
  return await changeGame(deps.db, actor, ref, 'edit', async (tx, game) => {
    const before = await loadReporter(tx, game.uid)
    requireUnchanged(input, show(deps, actor, before))
    const asked = input.webhook_urls && parseUrls(actor, input.webhook_urls, before.webhookUrls)
    const isNew = asked?.some((url) => !before.webhookUrls.includes(url)) ?? false
    if (isNew) await requireVerified(tx, game.ownerUid)
    const isPending = isNew && actor.kind === 'agent'
    if (asked && isPending) await requestWebhooks(deps, tx, actor, game, asked)

    const changed = SETTINGS.filter((name) => input[name] !== undefined)
    const subject = changed.filter((name) => !isPending || name !== 'webhook_urls').join(', ')
    if (isPending && subject === '') return { ...show(deps, actor, before), approval: 'pending' }
    const enabled = input.enabled ?? before.enabled
    const webhookUrls = isPending ? before.webhookUrls : (asked ?? before.webhookUrls)
    const isUsed = enabled || webhookUrls.length > 0
    const after = {
      gameUid: game.uid,
      enabled,
      webhookUrls,
      dailyCap: input.daily_cap ?? before.dailyCap,
      signingKey: before.signingKey ?? (isUsed ? sealNewKey(deps, game.uid) : null),
    }
    await save(tx, actor, after, subject || 'nothing')
    return { ...show(deps, actor, after), ...(isPending && { approval: 'pending' as const }) }
  })
}

/** Signatures made with the old key, and the screenshot URLs that carry them, are no longer valid. */
export async function renewSigningKey(deps: Deps, actor: WebsiteUser, ref: string): Promise<BugReporter> {
  return await changeGame(deps.db, actor, ref, 'edit', async (tx, game) => {
    const before = await loadReporter(tx, game.uid)
    const after = { ...before, signingKey: sealNewKey(deps, game.uid) }
    await save(tx, actor, after, 'signing_key')
    return show(deps, actor, after)
  })
}

export async function isReporterOn(db: Db, gameUid: string): Promise<boolean> {
  return (await loadReporter(db, gameUid)).enabled
}

async function save(tx: Transaction, actor: Caller, row: Reporter, subject: string): Promise<void> {
  await queries.saveReporter(tx, row)
  await recordChange(tx, actor, row.gameUid, { kind: 'bug_reporter_changed', subject })
  await notifyChange(tx, row.gameUid)
}

/** Agents see and send back addresses without path and query. */
function parseUrls(actor: Caller, sent: readonly string[], saved: readonly string[]): string[] {
  return parseWebhookUrls(actor.kind === 'agent' ? restoreUrls(sent, saved) : sent, saved)
}

/** Addresses of chat services contain a secret in their path, as the signing key is one. */
function show(deps: Deps, actor: Caller, reporter: Reporter): BugReporter {
  const isAgent = actor.kind === 'agent'
  const key = openSigningKey(deps, reporter)
  const webhooks = reporter.webhookUrls.map((url) => {
    const reason = explainUndelivered(deps.config, url)
    return { url: isAgent ? shortenUrl(url) : url, delivers: reason === null, reason }
  })
  return {
    enabled: reporter.enabled,
    daily_cap: reporter.dailyCap,
    webhook_urls: webhooks.map(({ url }) => url),
    webhooks,
    signing_key: isAgent ? (key?.slice(-4) ?? null) : key,
  }
}

function requireUnchanged(input: BugReporterInput, present: BugReporter): void {
  const changed = READ_ONLY.filter(
    (name) => input[name] !== undefined && !Bun.deepEquals(input[name], present[name]),
  )
  if (changed.length > 0)
    throw invalidFields(changed.map((path) => ({ path, message: `${path} cannot be set; leave it out.` })))
}

/** A webhook sends what players wrote to a server of the owner's choice, so the owner must be reachable. */
async function requireVerified(tx: Transaction, ownerUid: string): Promise<void> {
  if (await queries.isEmailVerified(tx, ownerUid)) return
  throw new AppError('email_not_verified', {
    message:
      'The owner of this game has not confirmed their e-mail address. Open the link in the mail, then set the webhooks again.',
  })
}

/**
 * Needs the game's lock. One request is open at a time, and it never changes, so that the owner approves what
 * the page shows. The owner gets one mail, however often the agent asks.
 */
async function requestWebhooks(
  deps: Deps,
  tx: Transaction,
  agent: Agent,
  game: GameRow,
  webhookUrls: string[],
): Promise<void> {
  const [open] = await listOpenRequests(tx, game.uid, 'webhooks')
  if (open) {
    if (Bun.deepEquals(open.request.webhookUrls, webhookUrls)) return
    throw new AppError('taken', {
      message: 'Other webhooks wait for the approval of the owner. Ask again once that is decided.',
    })
  }
  await askOwner(deps, tx, agent, game, { kind: 'webhooks', webhookUrls }, (owner, request) =>
    webhooksMail(owner, { listing: game.name, ...request }),
  )
}

export async function approveWebhooks(deps: Deps, tx: Transaction, { request }: OpenRequest): Promise<void> {
  const { gameUid, askedBy } = request
  const before = await loadReporter(tx, gameUid)
  const webhookUrls = parseWebhookUrls(request.webhookUrls ?? [], before.webhookUrls)
  const signingKey = before.signingKey ?? sealNewKey(deps, gameUid)
  await queries.saveReporter(tx, { ...before, webhookUrls, signingKey })
  await recordChangeBy(tx, askedBy, gameUid, { kind: 'bug_reporter_changed', subject: 'webhook_urls' })
  await notifyChange(tx, gameUid)
}

export type Reporter = queries.ReporterRow

/** The settings as stored, with the defaults where there are none. */
export async function loadReporter(db: Db, gameUid: string): Promise<Reporter> {
  return (await queries.findReporter(db, gameUid)) ?? reporterDefaults(gameUid)
}

/** The same, unchanged until the transaction ends. */
export async function lockReporter(tx: Transaction, gameUid: string): Promise<Reporter> {
  return (await queries.lockReporter(tx, gameUid)) ?? reporterDefaults(gameUid)
}

/** null until the reporter is first used. */
export function openSigningKey(
  { keyring }: Pick<Deps, 'keyring'>,
  { gameUid, signingKey }: Pick<Reporter, 'gameUid' | 'signingKey'>,
): string | null {
  return signingKey === null ? null : keyring.decrypt(signingKey, encryptionContext.bugSigningKey(gameUid))
}

/** A new key as it is stored. */
export function sealNewKey({ keyring }: Pick<Deps, 'keyring'>, gameUid: string): string {
  return keyring.encrypt(randomBytes(32).toString('hex'), encryptionContext.bugSigningKey(gameUid))
}

function reporterDefaults(gameUid: string): Reporter {
  return { gameUid, enabled: false, dailyCap: DAILY_CAP_DEFAULT, webhookUrls: [], signingKey: null }
}

interface AskedWebhooks {
  listing: string
  /** The program, and the person it acts for. */
  askedBy: string
  link: string
  hours: number
}

/** Without the addresses themselves, which were chosen by the program: the page shows them. */
function webhooksMail(to: Recipient, asked: AskedWebhooks): MailMessage {
  const { listing, askedBy, link, hours } = asked
  return composeMail(
    to,
    'Approve new webhooks',
    [
      `A program (${withoutLinks(askedBy)}) wants to send the bug reports of "${withoutLinks(listing)}" to other servers. Open this page to see which, and to approve or reject it:`,
      link,
      `The link can be used once, within ${hours} hours. Nothing is sent there until you approve.`,
    ],
    { label: 'See the webhooks', url: link },
  )
}
