import type { Db, Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { Agent, WebsiteUser } from '../../../domain/actor.ts'
import { AppError, invalidFields } from '../../../errors.ts'
import { recordChange } from '../../games/history.ts'
import { lockGame, notifyChange, openGame } from '../../games/service.ts'
import type { BugReporter, BugReporterInput } from './model.ts'
import * as queries from './queries.ts'
import { openSigningKey, readReporter, type Reporter, sealNewKey } from './rows.ts'
import { requestWebhooks } from './webhook-request.ts'
import { explainUndelivered, readWebhookUrls, restoreUrls, shortenUrl } from './webhook-urls.ts'

type Caller = WebsiteUser | Agent

const SETTINGS = ['enabled', 'daily_cap', 'webhook_urls'] as const
const READ_ONLY = ['webhooks', 'signing_key'] as const

export async function getReporter(deps: Deps, actor: Caller, ref: string): Promise<BugReporter> {
  const { game } = await openGame(deps.db, actor, ref, 'edit')
  return show(deps, actor, await readReporter(deps.db, game.uid))
}

/** The signing key is made when the reporter is first turned on or given a webhook, and stays when it is turned off. */
export async function changeReporter(
  deps: Deps,
  actor: Caller,
  ref: string,
  input: BugReporterInput,
): Promise<BugReporter & { approval?: 'pending' }> {
  return await deps.db.transaction(async (tx) => {
    const { game } = await lockGame(tx, actor, ref, 'edit')
    const before = await readReporter(tx, game.uid)
    requireUnchanged(input, show(deps, actor, before))
    const asked = input.webhook_urls && readUrls(actor, input.webhook_urls, before.webhookUrls)
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
  return await deps.db.transaction(async (tx) => {
    const { game } = await lockGame(tx, actor, ref, 'edit')
    const before = await readReporter(tx, game.uid)
    const after = { ...before, signingKey: sealNewKey(deps, game.uid) }
    await save(tx, actor, after, 'signing_key')
    return show(deps, actor, after)
  })
}

export async function isReporterOn(db: Db, gameUid: string): Promise<boolean> {
  return (await readReporter(db, gameUid)).enabled
}

async function save(tx: Transaction, actor: Caller, row: Reporter, subject: string): Promise<void> {
  await queries.saveReporter(tx, row)
  await recordChange(tx, actor, row.gameUid, { kind: 'bug_reporter_changed', subject })
  await notifyChange(tx, row.gameUid)
}

/** Agents see and send back addresses without path and query. */
function readUrls(actor: Caller, sent: readonly string[], saved: readonly string[]): string[] {
  return readWebhookUrls(actor.kind === 'agent' ? restoreUrls(sent, saved) : sent, saved)
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
