import { randomBytes } from 'node:crypto'

import type { Db, Transaction } from '../../../db/client.ts'
import { encryptionContext } from '../../../db/reencrypt.ts'
import type { Deps } from '../../../deps.ts'
import type { Agent, WebsiteUser } from '../../../domain/actor.ts'
import { DAILY_CAP_DEFAULT } from '../../../domain/bugs.ts'
import { recordChange } from '../../games/history.ts'
import { lockGame, notifyChange, openGame } from '../../games/service.ts'
import type { BugReporter, BugReporterInput } from './model.ts'
import * as queries from './queries.ts'
import { readWebhookUrls } from './webhook-urls.ts'

type Caller = WebsiteUser | Agent
export type Reporter = queries.ReporterRow

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
  const urls = input.webhook_urls && readWebhookUrls(input.webhook_urls)
  return await change(deps, actor, ref, Object.keys(input).join(', ') || 'nothing', (before) => {
    const enabled = input.enabled ?? before.enabled
    const webhookUrls = urls ?? before.webhookUrls
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
  return await change(deps, actor, ref, 'signing_key', (before) => ({
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
  apply: (before: Reporter) => Reporter,
): Promise<BugReporter> {
  const after = await deps.db.transaction(async (tx) => {
    const { game } = await lockGame(tx, actor, ref, 'edit')
    const row = apply(await readReporter(tx, game.uid))
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
    signing_key: actor.kind === 'agent' ? (key?.slice(-4) ?? null) : key,
  }
}
