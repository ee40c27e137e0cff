import { type OrderStatus, titleOfOrder } from '../../../domain/listings/orders.ts'
import type { Order } from '../../../features/selling/orders/model.ts'
import type { OwnOrder } from '../../../features/selling/orders/service.ts'
import type { Visit } from '../../../http/visit.ts'
import type { Paged } from '../../../lib/paging.ts'
import { DownloadIcon } from '../../components/icons.tsx'
import { Empty, Pager, Table } from '../../components/lists.tsx'
import { DoneNotice } from '../../components/notice.tsx'
import { FaultSummary, PostForm, Submit } from '../../kit/form.tsx'
import { Badge, Day, Moment, priceText, type Tone } from '../../kit/labels.tsx'
import { Layout } from '../../kit/layout.tsx'
import type { PageState } from '../../kit/pages.ts'

const NOTICES = {
  cancelled: 'The order is cancelled. Nothing was charged.',
  refunded: 'Your money is on its way back. Banks take up to ten days.',
}

const dollars = (cents: number) => priceText({ cents, free: false })

interface OrderPageProps {
  state: PageState
  own: OwnOrder
  /** Whether the store has Stripe keys, so that orders can be refunded. */
  canRefund: boolean
}

export function OrderPage({ state, own: { order, payUrl }, canRefund }: OrderPageProps) {
  const { visit, refused } = state
  const { label, tone } = ORDER_LABELS[order.status]
  return (
    <Layout
      visit={visit}
      title={`Order of ${titleOf(order)}`}
      scripts={order.status === 'open' ? ['live'] : []}
    >
      <div class="reading stack receipt">
        <DoneNotice visit={visit} notices={NOTICES} />
        <FaultSummary form={refused?.form} />
        <h1 dir="auto">{titleOf(order)}</h1>
        <div class="stack" data-live="order">
          <section class="panel stack" aria-label="Order">
            <p class="row between">
              <span class="price-tag">{dollars(order.amount_cents)}</span>
              <span role="status">
                <Badge tone={tone}>{label}</Badge>
              </span>
            </p>
            <Next order={order} payUrl={payUrl} />
            <Facts order={order} seller={visit.store.settings.name} />
          </section>
          {order.status === 'paid' && canRefund && !order.refund_pending ? (
            <RequestRefund order={order} />
          ) : null}
        </div>
        <p class="way-back">
          <a href="/library">Your library</a>
        </p>
      </div>
    </Layout>
  )
}

const ENDINGS = {
  expired: 'It was not paid, and your card was not charged. You can order it again on its page.',
  refunded: 'The money was given back, and it is no longer in your library.',
  disputed:
    'Your bank was asked to give the money back. The licence is suspended while it decides, and ends if it does.',
} as const

/** The next steps for the buyer, by the state of the order. */
function Next({ order, payUrl }: OwnOrder) {
  const { status, game, uid } = order
  if (order.refund_pending)
    return <p>A refund is on its way. It is shown here once Stripe has confirmed it.</p>
  if (status === 'open') return <ToPay uid={uid} payUrl={payUrl} />
  if (status !== 'paid') return <p>{ENDINGS[status]}</p>
  if (game.vanity_name === null) return <p>It is in your library. Its page is not available at the moment.</p>
  return (
    <a class="button" href={`/games/${game.vanity_name}`}>
      <DownloadIcon />
      Download<span class="visually-hidden"> {game.name}</span>
    </a>
  )
}

const POLL_SECONDS = 3

function ToPay({ uid, payUrl }: { uid: string; payUrl: string | null }) {
  return (
    <>
      <p data-poll={POLL_SECONDS}>
        The payment has not arrived yet. If you have paid, it is shown here in a moment.
        <noscript> Open this page again to look.</noscript>
      </p>
      <div class="row">
        {payUrl === null ? null : (
          <a class="button" href={payUrl} rel="noreferrer">
            Continue to payment
          </a>
        )}
        <PostForm action={`/orders/${uid}/cancel`} class="row">
          <Submit look="second">Cancel the order</Submit>
        </PostForm>
      </div>
    </>
  )
}

function Facts({ order, seller }: { order: Order; seller: string }) {
  const { uid, created_at, paid_at, refunded_cents, receipt_url, game } = order
  return (
    <dl class="pairs">
      <dt>Order number</dt>
      <dd>
        <code>{uid}</code>
      </dd>
      <dt>Sold by</dt>
      <dd dir="auto">{seller}</dd>
      <dt>Ordered</dt>
      <dd>
        <Moment at={created_at} />
      </dd>
      {paid_at === null ? null : (
        <>
          <dt>Paid</dt>
          <dd>
            <Moment at={paid_at} />
          </dd>
        </>
      )}
      {refunded_cents === 0 ? null : (
        <>
          <dt>Given back</dt>
          <dd>{dollars(refunded_cents)}</dd>
        </>
      )}
      {receipt_url === null ? null : (
        <>
          <dt>Receipt</dt>
          <dd>
            <a href={receipt_url} rel="noreferrer">
              Open the receipt
            </a>
          </dd>
        </>
      )}
      {game.vanity_name === null ? null : (
        <>
          <dt>Page</dt>
          <dd>
            <a href={`/games/${game.vanity_name}`} dir="auto">
              {game.name}
            </a>
          </dd>
        </>
      )}
    </dl>
  )
}

function RequestRefund({ order: { uid, amount_cents, refunded_cents } }: { order: Order }) {
  return (
    <details class="panel stack">
      <summary>Request a refund</summary>
      <p>
        Within 14 days of the payment and with less than 2 hours played you get{' '}
        {dollars(amount_cents - refunded_cents)} back, and it leaves your library. Later, ask the developer.
      </p>
      <PostForm action={`/orders/${uid}/refund`} class="row">
        <Submit look="danger">Refund this order</Submit>
      </PostForm>
    </details>
  )
}

export function OrdersPage({ visit, orders }: { visit: Visit; orders: Paged<Order> }) {
  return (
    <Layout visit={visit} title="Orders">
      <div class="stack">
        <h1>Orders</h1>
        {orders.items.length === 0 ? (
          <Empty title="Nothing here" link={['/search', 'Find a game']}>
            What you buy is listed here with its receipt.
          </Empty>
        ) : (
          <OrderList orders={orders.items} />
        )}
        <Pager {...orders} url={visit.url} />
      </div>
    </Layout>
  )
}

export function OrderList({ orders }: { orders: readonly Order[] }) {
  return (
    <Table label="Orders and receipts" columns={['Order', 'State', { number: 'Amount' }, 'Day', 'Receipt']}>
      {orders.map((order) => {
        const { label, tone } = ORDER_LABELS[order.status]
        return (
          <tr key={order.uid}>
            <th scope="row" class="title">
              <a href={`/orders/${order.uid}`} dir="auto">
                {titleOf(order)}
              </a>
            </th>
            <td>
              <Badge tone={tone}>{label}</Badge>
            </td>
            <td class="number">{priceText({ cents: order.amount_cents, free: false })}</td>
            <td>
              <Day at={order.paid_at ?? order.created_at} />
            </td>
            <td>
              {order.receipt_url === null ? (
                '–'
              ) : (
                <a href={order.receipt_url} rel="noreferrer">
                  Receipt<span class="visually-hidden"> of {titleOf(order)}</span>
                </a>
              )}
            </td>
          </tr>
        )
      })}
    </Table>
  )
}

export const ORDER_LABELS: Readonly<Record<OrderStatus, { label: string; tone: Tone }>> = {
  open: { label: 'Not paid', tone: 'fair' },
  paid: { label: 'Paid', tone: 'good' },
  expired: { label: 'Expired', tone: 'none' },
  refunded: { label: 'Refunded', tone: 'none' },
  disputed: { label: 'Disputed', tone: 'warn' },
}

const titleOf = ({ game, edition }: Pick<Order, 'game' | 'edition'>) =>
  titleOfOrder({ gameName: game.name, editionName: edition?.name ?? null })
