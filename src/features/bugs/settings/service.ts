import { randomBytes } from 'node:crypto'

import type { Db, Transaction } from '../../../db/client.ts'
import { encryptionContext } from '../../../db/reencrypt.ts'
import type { Deps } from '../../../deps.ts'
import type { Agent, WebsiteUser } from '../../../domain/actor.ts'
import { DAILY_CAP_DEFAULT } from '../../../domain/bugs.ts'
import { AppError, invalidFields } from '../../../errors.ts'
import { recordChange } from '../../games/history.ts'
import { type GameRow, lockGame, notifyChange, openGame } from '../../games/service.ts'
import type { BugReporter, BugReporterInput } from './model.ts'
import * as queries from './queries.ts'
import { explainUndelivered, readWebhookUrls } from './webhook-urls.ts'

type Caller = WebsiteUser | Agent
export type Reporter = queries.ReporterRow

const SETTINGS = ['enabled', 'daily_cap', 'webhook_urls'] as const
const READ_ONLY = ['webhooks', 'signing_key'] as const

export async function showReporter(deps: Deps, actor: Caller, ref: string): Promise<BugReporter> {
  const { game } = await openGame(deps.db, actor, ref, 'edit')
  return show(deps, actor, await readReporter(deps.db, game.uid))
}

/** The signing key is made when the reporter is first turned on or given a webhook, and stays when it is turned off. */
export async function changeReporter(
  deps: Deps,
  actor: Caller,
  ref: string,
  input: BugReporterInput,
): Promise<BugReporter> {
  const subject = SETTINGS.filter((name) => input[name] !== undefined).join(', ') || 'nothing'
  return await change(deps, actor, ref, subject, async (before, tx, game) => {
    requireUnchanged(input, show(deps, actor, before))
    const webhookUrls = input.webhook_urls
      ? readWebhookUrls(input.webhook_urls, before.webhookUrls)
      : before.webhookUrls
    if (webhookUrls.some((url) => !before.webhookUrls.includes(url))) await requireVerified(tx, game.ownerUid)
    const enabled = input.enabled ?? before.enabled
    const isUsed = enabled || webhookUrls.length > 0
    return {
      gameUid: before.gameUid,
      enabled,
      webhookUrls,
      dailyCap: input.daily_cap ?? before.dailyCap,
      signingKey: before.signingKey ?? (isUsed ? sealNewKey(deps, before.gameUid) : null),
    }
  })
}

/** Signatures made with the old key, and the screenshot URLs that carry them, are no longer valid. */
export async function renewSigningKey(deps: Deps, actor: WebsiteUser, ref: string): Promise<BugReporter> {
  return await change(deps, actor, ref, 'signing_key', async (before) => ({
    ...before,
    signingKey: sealNewKey(deps, before.gameUid),
  }))
}

export async function isReporterOn(db: Db, gameUid: string): Promise<boolean> {
  return (await readReporter(db, gameUid)).enabled
}

/** The settings as stored, with the defaults where there are none. */
export async function readReporter(db: Db, gameUid: string): Promise<Reporter> {
  return (await queries.findReporter(db, gameUid)) ?? defaultsOf(gameUid)
}

/** The same, unchanged until the transaction ends. */
export async function lockReporter(tx: Transaction, gameUid: string): Promise<Reporter> {
  return (await queries.lockReporter(tx, gameUid)) ?? defaultsOf(gameUid)
}

/** null until the reporter is first used. */
export function openSigningKey(
  { keyring }: Pick<Deps, 'keyring'>,
  { gameUid, signingKey }: Pick<Reporter, 'gameUid' | 'signingKey'>,
): string | null {
  return signingKey === null ? null : keyring.decrypt(signingKey, encryptionContext.bugSigningKey(gameUid))
}

async function change(
  deps: Deps,
  actor: Caller,
  ref: string,
  subject: string,
  apply: (before: Reporter, tx: Transaction, game: GameRow) => Promise<Reporter>,
): Promise<BugReporter> {
  const after = await deps.db.transaction(async (tx) => {
    const { game } = await lockGame(tx, actor, ref, 'edit')
    const row = await apply(await readReporter(tx, game.uid), tx, game)
    await queries.saveReporter(tx, row)
    await recordChange(tx, actor, game.uid, { kind: 'bug_reporter_changed', subject })
    await notifyChange(tx, game.uid)
    return row
  })
  return show(deps, actor, after)
}

function defaultsOf(gameUid: string): Reporter {
  return { gameUid, enabled: false, dailyCap: DAILY_CAP_DEFAULT, webhookUrls: [], signingKey: null }
}

/** A new key as it is stored. */
export function sealNewKey({ keyring }: Pick<Deps, 'keyring'>, gameUid: string): string {
  return keyring.encrypt(randomBytes(32).toString('hex'), encryptionContext.bugSigningKey(gameUid))
}

function show(deps: Deps, actor: Caller, reporter: Reporter): BugReporter {
  const key = openSigningKey(deps, reporter)
  return {
    enabled: reporter.enabled,
    daily_cap: reporter.dailyCap,
    webhook_urls: reporter.webhookUrls,
    webhooks: reporter.webhookUrls.map((url) => showWebhook(deps, url)),
    signing_key: actor.kind === 'agent' ? (key?.slice(-4) ?? null) : key,
  }
}

function showWebhook({ config }: Deps, url: string): BugReporter['webhooks'][number] {
  const reason = explainUndelivered(config, url)
  return { url, delivers: reason === null, reason }
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
