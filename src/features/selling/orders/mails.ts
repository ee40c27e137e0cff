import { composeMail, type MailMessage, type Recipient } from '../../../clients/mail/mail.ts'
import { type DisputeState, titleOfOrder } from '../../../domain/listings/orders.ts'
import { formatDollars } from '../../../lib/text/show.ts'
import type { OrderRow } from './queries.ts'

export function paidMail(to: Recipient, order: OrderRow, orderUrl: string): MailMessage {
  const title = titleOfOrder(order)
  const { amountCents, receiptUrl } = order
  return composeMail(
    to,
    `Your order: ${title}`,
    [
      `You paid ${formatDollars(amountCents)} for ${title}. It is in your library.`,
      `Your order: ${orderUrl}`,
      ...(receiptUrl === null ? [] : [`The receipt: ${receiptUrl}`]),
      'On the page of the order you can give it back within 14 days, as long as you have played it for less than 2 hours.',
    ],
    { label: 'Your order', url: orderUrl },
  )
}

const REFUND_WORDS = {
  part: 'The order was refunded in part: the game stays in your library.',
  whole: 'The whole order was refunded, so it is no longer in your library.',
  closed: 'The sale was closed before your payment arrived, so everything is given back.',
} as const

export function refundedMail(to: Recipient, order: OrderRow, cents: number, orderUrl: string): MailMessage {
  const title = titleOfOrder(order)
  const extent = order.closedAt ? 'closed' : order.status === 'refunded' ? 'whole' : 'part'
  return composeMail(
    to,
    `Refund: ${title}`,
    [
      `${formatDollars(cents)} of your order of ${title} are on their way back to the card that you paid with. Banks take up to ten days.`,
      REFUND_WORDS[extent],
      orderUrl,
    ],
    { label: 'View the order', url: orderUrl },
  )
}

/** Tells the buyer and the operators that a refund came back. */
export function returnedMail(to: Recipient, order: OrderRow, cents: number, url: string): MailMessage {
  const title = titleOfOrder(order)
  const isOwned = order.closedAt === null
  return composeMail(
    to,
    `A refund came back: ${title}`,
    [
      `The bank did not take back the ${formatDollars(cents)} that were refunded for ${title}, so the store has them again and the order counts as paid.${isOwned ? ' The game is in the library of its buyer.' : ''}`,
      'Try the refund again, or agree on another way to pay the money back.',
      url,
    ],
    { label: 'View the order', url: url },
  )
}

const DISPUTE_WORDS: Readonly<Record<DisputeState, readonly [subject: string, text: string]>> = {
  open: [
    'disputed',
    'The buyer asked the bank for the money back. The licence is suspended and what the developer got is taken back until the bank decides. Answer in the Stripe dashboard of the store, which has the deadline.',
  ],
  won: [
    'decided for the store',
    'The bank decided for the store. The developer gets the money again, and the buyer has the licence back.',
  ],
  lost: ['lost', 'The bank gave the money back to the buyer, and the licence ended.'],
}

export function disputeMail(to: Recipient, order: OrderRow, state: DisputeState, url: string): MailMessage {
  const title = titleOfOrder(order)
  const [subject, text] = DISPUTE_WORDS[state]
  return composeMail(
    to,
    `A payment is ${subject}: ${title}`,
    [`An order of ${title} over ${formatDollars(order.amountCents)}: ${text}`, url],
    { label: 'View the order', url: url },
  )
}
