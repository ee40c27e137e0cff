import type { OrderStatus } from '../../../domain/listings/orders.ts'
import type { Order } from '../../../features/selling/orders/model.ts'
import type { Tone } from '../../kit/labels.ts'

export const ORDER_LABELS: Readonly<Record<OrderStatus, { label: string; tone: Tone }>> = {
  open: { label: 'Not paid', tone: 'fair' },
  paid: { label: 'Paid', tone: 'good' },
  expired: { label: 'Expired', tone: 'none' },
  refunded: { label: 'Refunded', tone: 'none' },
  disputed: { label: 'Disputed', tone: 'warn' },
}

export function titleOf({ game, edition }: Pick<Order, 'game' | 'edition'>): string {
  return edition === null ? game.name : `${game.name} (${edition.name})`
}
