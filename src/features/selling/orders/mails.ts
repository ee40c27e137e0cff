import { composeMail, type Recipient } from '../../../clients/mail/compose.ts'
import type { MailMessage } from '../../../clients/mail/mail.ts'

export interface OrderWords {
  /** The listing, with the edition. */
  title: string
  amount: string
  orderUrl: string
}

export function paidMail(
  to: Recipient,
  { title, amount, orderUrl }: OrderWords,
  receiptUrl: string | null,
): MailMessage {
  return composeMail(to, `Your order: ${title}`, [
    `You paid ${amount} for ${title}. It is in your library, ready to download:`,
    orderUrl,
    ...(receiptUrl === null ? [] : [`The receipt: ${receiptUrl}`]),
    'You can give it back there within 14 days, as long as you have played it for less than 2 hours.',
  ])
}

const REFUND_WORDS = {
  part: 'The order was refunded in part: the game stays in your library.',
  whole: 'The whole order was refunded, so it is no longer in your library.',
  closed: 'The sale was closed before your payment arrived, so everything is given back.',
} as const

export function refundedMail(
  to: Recipient,
  { title, amount, orderUrl }: OrderWords,
  extent: keyof typeof REFUND_WORDS,
): MailMessage {
  return composeMail(to, `Refund: ${title}`, [
    `${amount} of your order of ${title} are on their way back to the card that you paid with. Banks take up to ten days.`,
    REFUND_WORDS[extent],
    orderUrl,
  ])
}

/** For the buyer and the operators. */
export function returnedMail(
  to: Recipient,
  { title, amount, orderUrl }: OrderWords,
  isHeld: boolean,
): MailMessage {
  return composeMail(to, `A refund came back: ${title}`, [
    `The bank did not take back the ${amount} that were refunded for ${title}, so the store has them again and the order counts as paid.${isHeld ? ' The game is in the library of its buyer.' : ''}`,
    'Try the refund again, or agree on another way to pay the money back.',
    orderUrl,
  ])
}

const DISPUTE_WORDS = {
  open: [
    'disputed',
    'The buyer asked the bank for the money back. The licence is suspended and what the developer got is taken back until the bank decides. Answer in the Stripe dashboard of the store, which has the deadline.',
  ],
  won: [
    'decided for the store',
    'The bank decided for the store. The developer gets the money again, and the buyer has the licence back.',
  ],
  lost: ['lost', 'The bank gave the money back to the buyer, and the licence ended.'],
} as const

export function disputeMail(
  to: Recipient,
  state: keyof typeof DISPUTE_WORDS,
  { title, amount, orderUrl }: OrderWords,
): MailMessage {
  const [subject, text] = DISPUTE_WORDS[state]
  return composeMail(to, `A payment is ${subject}: ${title}`, [
    `An order of ${title} over ${amount}: ${text}`,
    orderUrl,
  ])
}
