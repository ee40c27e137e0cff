import type { Recipient } from '../../../clients/mail/compose.ts'
import type { Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import { orderUrl, salesUrl } from '../../../domain/site-urls.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { listOperatorAddresses } from '../../accounts/operators.ts'
import { findRecipient } from '../../accounts/service.ts'
import { sendMail } from '../../mail/jobs.ts'
import { tellRefunds } from './jobs.ts'
import { disputeMail, type OrderWords, paidMail, refundedMail, returnedMail } from './mails.ts'
import * as queries from './queries.ts'

/** Refunds of a part that follow each other within this time share a mail. */
const REFUNDS_APART_MS = 60_000

/** Mails go out with the change they tell of. */
export async function announceChange(
  deps: Deps,
  tx: Transaction,
  before: queries.OrderRow,
  order: queries.OrderRow,
): Promise<void> {
  const buyer = order.userUid === null ? undefined : await findRecipient(tx, order.userUid)
  const { baseUrl } = deps.config
  const words = wordsOf(order, order.amountCents, orderUrl(baseUrl, order.uid))
  if (buyer && before.paidAt === null && order.paidAt !== null && order.closedAt === null)
    await enqueue(tx, sendMail, paidMail(buyer, words, order.receiptUrl))
  const refunded = order.refundedCents - before.refundedCents
  if (refunded > 0) {
    const runAt = new Date(Date.now() + (order.status === 'refunded' ? 0 : REFUNDS_APART_MS))
    await enqueue(tx, tellRefunds, { orderUid: order.uid }, { key: `refunds ${order.uid}`, runAt })
  }
  if (refunded < 0) await announceReturned(deps, tx, wordsOf(order, -refunded, words.orderUrl), order, buyer)
  if (order.dispute !== null && order.dispute !== before.dispute)
    await announceDispute(deps, tx, order, order.dispute)
}

/** Tells the buyer of everything that was refunded since the last such mail. */
export async function announceRefunds({ db, config }: Deps, orderUid: string): Promise<void> {
  await db.transaction(async (tx) => {
    const order = await queries.lockOrder(tx, orderUid)
    const cents = order ? order.refundedCents - order.toldCents : 0
    const buyer = order?.userUid ? await findRecipient(tx, order.userUid) : undefined
    if (!order || !buyer || cents <= 0) return
    await queries.markRefundsTold(tx, orderUid)
    const extent = order.closedAt ? 'closed' : order.status === 'refunded' ? 'whole' : 'part'
    const words = wordsOf(order, cents, orderUrl(config.baseUrl, orderUid))
    await enqueue(tx, sendMail, refundedMail(buyer, words, extent))
  })
}

async function announceReturned(
  { config }: Deps,
  tx: Transaction,
  words: OrderWords,
  { uid, closedAt }: queries.OrderRow,
  buyer: Recipient | undefined,
): Promise<void> {
  const isHeld = closedAt === null
  await queries.markRefundsTold(tx, uid)
  if (buyer) await enqueue(tx, sendMail, returnedMail(buyer, words, isHeld))
  const forOperators = { ...words, orderUrl: salesUrl(config.baseUrl, 'operate', uid) }
  for (const email of await listOperatorAddresses(config, tx))
    await enqueue(tx, sendMail, returnedMail({ email }, forOperators, isHeld))
}

async function announceDispute(
  { config }: Deps,
  tx: Transaction,
  order: queries.OrderRow,
  state: NonNullable<queries.OrderRow['dispute']>,
): Promise<void> {
  const seller = order.sellerUid === null ? undefined : await findRecipient(tx, order.sellerUid)
  const forSeller = wordsOf(order, order.amountCents, salesUrl(config.baseUrl, 'studio'))
  if (seller) await enqueue(tx, sendMail, disputeMail(seller, state, forSeller))
  const forOperators = { ...forSeller, orderUrl: salesUrl(config.baseUrl, 'operate', order.uid) }
  for (const email of await listOperatorAddresses(config, tx))
    await enqueue(tx, sendMail, disputeMail({ email }, state, forOperators))
}

function wordsOf({ gameName, editionName }: queries.OrderRow, cents: number, url: string): OrderWords {
  return {
    title: editionName === null ? gameName : `${gameName} (${editionName})`,
    amount: `$${(cents / 100).toFixed(2)}`,
    orderUrl: url,
  }
}
