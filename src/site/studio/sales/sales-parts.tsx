import { REASON_MAX } from '../../../features/selling/orders/model.ts'
import type { Figures, Sales, SalesLine, SoldOrder } from '../../../features/selling/sales/service.ts'
import { BarChart } from '../../components/chart.tsx'
import { Table } from '../../components/lists.tsx'
import { Periods } from '../../components/periods.tsx'
import { EMPTY_FORM, type FormState } from '../../kit/form-state.ts'
import { AreaField, FieldGroup, PostForm, Submit, TextField } from '../../kit/form.tsx'
import { Badge, countText, Day, dayOfYearText, numberText, priceText } from '../../kit/labels.tsx'
import { ORDER_LABELS } from '../../listing/orders/order-page.tsx'

const PERIODS = [7, 30, 90, 365]
const MONEY = [
  { number: 'Sold' },
  { number: 'Amount' },
  { number: 'Refunded' },
  { number: 'Disputed' },
  { number: 'Fee' },
  { number: 'Net' },
] as const

export function dollars(cents: number): string {
  return cents < 0 ? `−${dollars(-cents)}` : priceText({ cents, free: false })
}

export function summaryOf({ sold, soldCents, netCents }: Figures, days: number): string {
  return `${countText(sold, 'sale')} for ${dollars(soldCents)}, of which ${dollars(netCents)} stay with the developer, in ${days} days.`
}

export function SalesPeriods({ base, days }: { base: string; days: number }) {
  return <Periods base={base} days={days} choices={PERIODS} />
}

/** Charts and tables of one scope. */
export function SalesFigures({ sales, days }: { sales: Sales; days: number }) {
  const summary = summaryOf(sales.total, days)
  return (
    <>
      <FieldGroup
        id="chart"
        title="Per day"
        hint="In dollars. What was refunded counts for the day of its sale."
      >
        <BarChart summary={`${summary} The table has every day.`} bars={barsOf(sales)} />
        <p class="legend small">
          <span class="key good">Net</span> <span class="key fair">Fee</span>{' '}
          <span class="key warn">Refunded</span> <span class="key bad">Disputed</span>
        </p>
        <details>
          <summary>Every day as a table</summary>
          <Table label="Sales per day" columns={['Day', ...MONEY]}>
            {sales.days.toReversed().map((row) => (
              <tr key={row.day}>
                <th scope="row">
                  <Day at={row.day} />
                </th>
                <MoneyCells {...row} />
              </tr>
            ))}
          </Table>
        </details>
      </FieldGroup>
      <FieldGroup id="editions" title="Per edition">
        <FigureTable
          label="Sales per edition"
          first="Edition"
          rows={sales.editions.map(({ title, ...figures }) => [title, figures])}
          total={sales.total}
        />
      </FieldGroup>
      <FieldGroup id="countries" title="Per country">
        <FigureTable
          label="Sales per country"
          first="Country"
          rows={sales.countries.map(({ country, ...figures }) => [country ?? 'Unknown', figures])}
          total={sales.total}
        />
      </FieldGroup>
    </>
  )
}

function barsOf({ days }: Sales) {
  return days.map(({ day, netCents, feeCents, refundedCents, disputedCents }) => ({
    label: dayOfYearText(day),
    values: [
      { tone: 'good' as const, value: Math.max(0, netCents) / 100 },
      { tone: 'fair' as const, value: feeCents / 100 },
      { tone: 'warn' as const, value: refundedCents / 100 },
      { tone: 'bad' as const, value: disputedCents / 100 },
    ],
  }))
}

interface FigureTableProps {
  label: string
  first: string
  rows: readonly (readonly [name: string, figures: Figures])[]
  total: Figures
}

function FigureTable({ label, first, rows, total }: FigureTableProps) {
  if (rows.length === 0) return <p class="quiet">Nothing was sold in this time.</p>
  return (
    <Table label={label} columns={[first, ...MONEY]}>
      {rows.map(([name, figures], index) => (
        <tr key={`${index} ${name}`}>
          <th scope="row" class="title" dir="auto">
            {name}
          </th>
          <MoneyCells {...figures} />
        </tr>
      ))}
      <tr>
        <th scope="row">Total</th>
        <MoneyCells {...total} />
      </tr>
    </Table>
  )
}

function MoneyCells({ sold, soldCents, refundedCents, disputedCents, feeCents, netCents }: Figures) {
  return (
    <>
      <td class="number">{numberText(sold)}</td>
      {[soldCents, refundedCents, disputedCents, feeCents, netCents].map((cents, index) => (
        <td key={index} class="number">
          {dollars(cents)}
        </td>
      ))}
    </>
  )
}

/** The state of an order, and of its dispute where there is one. */
export function SoldState({ status, dispute, refundedCents }: SoldOrder) {
  const { label, tone } = ORDER_LABELS[status]
  return (
    <>
      <Badge tone={tone}>{label}</Badge>
      {dispute === null ? null : <Badge tone={dispute === 'won' ? 'none' : 'bad'}>Dispute {dispute}</Badge>}
      {refundedCents === 0 ? null : <span class="quiet small">{dollars(refundedCents)} given back</span>}
    </>
  )
}

const CSV_COLUMNS = [
  ['day', 'day'],
  ['title', 'title'],
  ['country', 'country'],
  ['sold', 'sold'],
  ['sold_cents', 'soldCents'],
  ['refunded_cents', 'refundedCents'],
  ['disputed_cents', 'disputedCents'],
  ['fee_cents', 'feeCents'],
  ['net_cents', 'netCents'],
] as const satisfies readonly (readonly [head: string, name: keyof SalesLine])[]

/** Amounts are in whole cents, so that spreadsheets add them up exactly. */
export function salesLines(lines: readonly SalesLine[]): (string | number | null)[][] {
  const rows = lines.map((line) => CSV_COLUMNS.map(([, name]) => line[name]))
  return [CSV_COLUMNS.map(([head]) => head), ...rows]
}

interface RefundFormProps {
  order: SoldOrder
  action: string
  /** The rejected form, which may be about another order. */
  form: FormState
}

/** Refunds an order, in part or completely. */
export function RefundForm({ order, action, form: sent }: RefundFormProps) {
  const { uid, amountCents, refundedCents, title, buyer } = order
  if (order.status !== 'paid') return null
  const isRefused = sent.values.get('order_uid') === uid
  const form = isRefused ? sent : EMPTY_FORM
  const scope = isRefused ? 'refund' : `refund-${uid}`
  return (
    <details class="edit" open={isRefused}>
      <summary>
        Refund
        <span class="visually-hidden">
          {' '}
          {title} of {buyer ?? 'a deleted account'}
        </span>
      </summary>
      <PostForm action={action}>
        <input type="hidden" name="order_uid" value={uid} />
        <TextField
          {...{ form, scope, name: 'amount_cents', label: 'Amount in dollars' }}
          inputMode="decimal"
          hint={`Empty gives back everything that is left: ${dollars(amountCents - refundedCents)}.`}
        />
        <AreaField
          {...{ form, scope, name: 'reason', label: 'Reason', rows: 2, maxLength: REASON_MAX }}
          hint="Kept with the order."
          required
        />
        <Submit look="danger">Give the money back</Submit>
      </PostForm>
    </details>
  )
}
