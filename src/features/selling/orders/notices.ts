import type { Recipient } from '../../../clients/mail/compose.ts'
import type { Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import { orderUrl, salesUrl } from '../../../domain/site-urls.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { listOperatorAddresses } from '../../accounts/operators.ts'
import { findRecipient } from '../../accounts/service.ts'
import { sendMail } from '../../mail/jobs.ts'
import { disputeMail, type OrderWords, paidMail, refundedMail, returnedMail } from './mails.ts'
import type { OrderRow } from './queries.ts'

/** Mails go out with the change they tell of. */
export async function announceChange(
  deps: Deps,
  tx: Transaction,
  before: OrderRow,
  order: OrderRow,
): Promise<void> {
  const buyer = order.userUid === null ? undefined : await findRecipient(tx, order.userUid)
  const { baseUrl } = deps.config
  const words = wordsOf(order, order.amountCents, orderUrl(baseUrl, order.uid))
  if (buyer && before.paidAt === null && order.paidAt !== null)
    await enqueue(tx, sendMail, paidMail(buyer, words, order.receiptUrl))
  const refunded = order.refundedCents - before.refundedCents
  if (buyer && refunded > 0) {
    const told = wordsOf(order, refunded, words.orderUrl)
    await enqueue(tx, sendMail, refundedMail(buyer, told, order.status === 'refunded'))
  }
  if (refunded < 0) await announceReturned(deps, tx, wordsOf(order, -refunded, words.orderUrl), order, buyer)
  if (order.dispute !== null && order.dispute !== before.dispute)
    await announceDispute(deps, tx, order, order.dispute)
}

async function announceReturned(
  { config }: Deps,
  tx: Transaction,
  words: OrderWords,
  { uid }: OrderRow,
  buyer: Recipient | undefined,
): Promise<void> {
  if (buyer) await enqueue(tx, sendMail, returnedMail(buyer, words))
  const forOperators = { ...words, orderUrl: salesUrl(config.baseUrl, 'operate', uid) }
  for (const email of await listOperatorAddresses(config, tx))
    await enqueue(tx, sendMail, returnedMail({ email }, forOperators))
}

async function announceDispute(
  { config }: Deps,
  tx: Transaction,
  order: OrderRow,
  state: NonNullable<OrderRow['dispute']>,
): Promise<void> {
  const seller = order.sellerUid === null ? undefined : await findRecipient(tx, order.sellerUid)
  const forSeller = wordsOf(order, order.amountCents, salesUrl(config.baseUrl, 'studio'))
  if (seller) await enqueue(tx, sendMail, disputeMail(seller, state, forSeller))
  const forOperators = { ...forSeller, orderUrl: salesUrl(config.baseUrl, 'operate', order.uid) }
  for (const email of await listOperatorAddresses(config, tx))
    await enqueue(tx, sendMail, disputeMail({ email }, state, forOperators))
}

function wordsOf({ gameName, editionName }: OrderRow, cents: number, url: string): OrderWords {
  return {
    title: editionName === null ? gameName : `${gameName} (${editionName})`,
    amount: `$${(cents / 100).toFixed(2)}`,
    orderUrl: url,
  }
}
