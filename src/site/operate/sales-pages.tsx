import type { Deps } from '../../deps.ts'
import { refundOrder } from '../../features/selling/orders/refunds.ts'
import {
  exportSales,
  listSold,
  loadSales,
  type Sales,
  type Scope,
  type SoldOrder,
} from '../../features/selling/sales/service.ts'
import { createRoutes, type HttpKit } from '../../http/kit.ts'
import { type Paged, parsePage } from '../../lib/paging.ts'
import { Empty, Pager } from '../components/lists.tsx'
import { Badge, countText, Moment, numberText } from '../kit/labels.tsx'
import { atPage, formOf, type PageState } from '../kit/pages.ts'
import { sendCsv } from '../studio/frame/csv.ts'
import { parseDays, parseRefund } from '../studio/sales/routes.tsx'
import {
  dollars,
  RefundForm,
  SalesFigures,
  salesLines,
  SalesPeriods,
  SoldState,
} from '../studio/sales/sales-parts.tsx'
import { Finder, OperateFrame, Tile } from './operate-frame.tsx'
import { type OperatorAct, operatorAct, type OperatorPage, operatorPages } from './operator-form.tsx'

const STORE: Scope = { kind: 'store' }
const PATH = '/operate/sales'
const TEXT_MAX = 200

/** Orders and the fees earned; a store that sells nothing has no such pages. */
export function operateSalesPages(kit: HttpKit, deps: Deps) {
  const { view, submit } = operatorPages(deps)
  const app = createRoutes(kit, { name: 'operate-sales' })
  const { payments, db } = deps
  if (!payments) return app

  const showSales: OperatorPage = async (_, context) => {
    const state = atPage(context, PATH)
    const { query } = state
    const days = parseDays(query)
    const search = {
      text: (query.q ?? '').trim().slice(0, TEXT_MAX),
      isDisputed: query.disputed === 'true',
    }
    const [sales, sold] = await Promise.all([
      loadSales(db, STORE, days),
      listSold(db, STORE, search, parsePage(query)),
    ])
    return <OperateSalesPage {...{ state, mode: payments.mode, days, sales, sold }} />
  }

  const refund: OperatorAct = async (operator, form, { params }) => {
    await refundOrder(deps, operator, params.uid ?? '', parseRefund(form))
    return `${PATH}?done=refunded`
  }

  return app
    .get('/sales', view(showSales), { operatorPage: true })
    .get(
      '/sales.csv',
      async ({ query, set }) =>
        sendCsv(set, 'sales', salesLines(await exportSales(db, STORE, parseDays(query)))),
      { operatorPage: true },
    )
    .post('/sales/:uid/refund', submit('refund', refund, showSales), operatorAct())
}

const NOTICES = { refunded: 'The money is on its way back to the buyer.' }

interface SalesPageProps {
  state: PageState
  mode: 'test' | 'live'
  days: number
  sales: Sales
  sold: Paged<SoldOrder>
}

function OperateSalesPage({ state, mode, days, sales, sold }: SalesPageProps) {
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
        <Empty title="Nothing found">
          <a href="/operate/sales">See all orders</a>
        </Empty>
      ) : (
        <ul class="records sold panel">
          {sold.items.map((order) => (
            <li key={order.uid}>
              <div>
                <strong dir="auto">{order.title}</strong> {dollars(order.amountCents)} by{' '}
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
