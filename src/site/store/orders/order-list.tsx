import type { Order } from '../../../features/selling/orders/model.ts'
import { Badge } from '../../components/badge.tsx'
import { Table } from '../../components/table.tsx'
import { Day } from '../../kit/dates.tsx'
import { priceText } from '../../kit/labels.ts'
import { ORDER_LABELS, titleOf } from './order-words.ts'

export function OrderList({ orders }: { orders: readonly Order[] }) {
  return (
    <Table label="Orders and receipts" columns={['Order', 'State', { number: 'Amount' }, 'Day', 'Receipt']}>
      {orders.map((order) => {
        const { label, tone } = ORDER_LABELS[order.status]
        return (
          <tr key={order.uid}>
            <th scope="row" class="title">
              <a href={`/orders/${order.uid}`}>{titleOf(order)}</a>
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
