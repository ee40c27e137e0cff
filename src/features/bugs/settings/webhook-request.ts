import type { Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { Agent } from '../../../domain/actor.ts'
import { AppError } from '../../../errors.ts'
import { askOwner, listOpenRequests, type OpenRequest } from '../../games/approvals.ts'
import { recordChangeBy } from '../../games/history.ts'
import { type GameRow, notifyChange } from '../../games/service.ts'
import { webhooksMail } from './mails.ts'
import * as queries from './queries.ts'
import { readReporter, sealNewKey } from './rows.ts'
import { readWebhookUrls } from './webhook-urls.ts'

/**
 * Needs the game's lock. One request is open at a time, and never changes: the owner approves what the page shows, and
 * gets one mail however often the agent asks.
 */
export async function requestWebhooks(
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
  const before = await readReporter(tx, gameUid)
  const webhookUrls = readWebhookUrls(request.webhookUrls ?? [], before.webhookUrls)
  const signingKey = before.signingKey ?? sealNewKey(deps, gameUid)
  await queries.saveReporter(tx, { ...before, webhookUrls, signingKey })
  await recordChangeBy(tx, askedBy, gameUid, { kind: 'bug_reporter_changed', subject: 'webhook_urls' })
  await notifyChange(tx, gameUid)
}
