import type { Sales, SoldOrder } from '../../features/selling/sales/service.ts'
import type { Paged } from '../../lib/paging.ts'
import { Badge } from '../components/badge.tsx'
import { Pager } from '../components/pager.tsx'
import { Moment } from '../kit/dates.tsx'
import { countText, numberText } from '../kit/labels.ts'
import { formOf, type PageState } from '../kit/pages.ts'
import { RefundForm } from '../studio/sales/refund-form.tsx'
import { dollars, SalesFigures, SalesPeriods, SoldState } from '../studio/sales/sales-parts.tsx'
import { Finder, OperateFrame } from './operate-frame.tsx'
import { Tile } from './tile.tsx'

const NOTICES = { refunded: 'The money is on its way back to the buyer.' }

interface SalesPageProps {
  state: PageState
  mode: 'test' | 'live'
  days: number
  sales: Sales
  sold: Paged<SoldOrder>
}

export function OperateSalesPage({ state, mode, days, sales, sold }: SalesPageProps) {
  const { visit } = state
  const { total } = sales
  return (
    <OperateFrame state={state} tab="/operate/sales" notices={NOTICES}>
      <p class="row">
        <Badge tone={mode === 'live' ? 'good' : 'warn'}>
          {mode === 'live' ? 'Live: real money' : 'Test mode: no real money'}
        </Badge>
      </p>
      <ul class="tiles">
        <Tile value={numberText(total.sold)} label={`Sales in ${days} days`} />
        <Tile value={dollars(total.soldCents)} label="Sold" />
        <Tile value={dollars(total.refundedCents)} label="Refunded" />
        <Tile value={dollars(total.disputedCents)} label="Disputed" />
        <Tile value={dollars(total.feeCents)} label="Fee earned" />
        <Tile value={dollars(total.netCents)} label="Stays with developers" />
      </ul>
      <Finder
        visit={visit}
        label="Find an order"
        hint="The number of an order, or the e-mail address or username of its buyer."
        only={{ name: 'disputed', label: 'Only those with a dispute' }}
      />
      <p role="status">{countText(sold.total, 'order')}</p>
      {sold.items.length === 0 ? (
        <div class="empty">
          <h2>Nothing found</h2>
          <p>
            <a href="/operate/sales">See all orders</a>
          </p>
        </div>
      ) : (
        <ul class="records sold panel">
          {sold.items.map((order) => (
            <li key={order.uid}>
              <div>
                <strong>{order.title}</strong> {dollars(order.amountCents)} by{' '}
                {order.buyer ?? 'a deleted account'}
                <p class="row">
                  <SoldState {...order} />
                  <span class="quiet small">
                    <Moment at={order.paidAt} /> · <code>{order.uid}</code>
                  </span>
                </p>
              </div>
              <RefundForm
                order={order}
                action={`/operate/sales/${order.uid}/refund`}
                form={formOf(state, 'refund')}
              />
            </li>
          ))}
        </ul>
      )}
      <Pager {...sold} url={visit.url} />
      <SalesPeriods base="/operate/sales" days={days} />
      <SalesFigures sales={sales} days={days} />
    </OperateFrame>
  )
}
