import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { cancelOrder, getOrder, listOrders } from '../../../features/selling/orders/service.ts'
import { type RecordRefund, refundOrder } from '../../../features/selling/refunds/service.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { readPage } from '../../../lib/paging.ts'
import { type Act, atPage, ownPages, type ShowPage } from '../../kit/pages.ts'
import { OrderPage, OrdersPage } from './order-page.tsx'

const { view, submit } = ownPages

/** What a person bought. Readable in a store that no longer sells, where nothing can be cancelled or given back. */
export function orderPages(kit: HttpKit, deps: Deps, record: RecordRefund) {
  const showOrders: ShowPage<WebsiteUser> = async (user, { visit, query }) => (
    <OrdersPage visit={visit} orders={await listOrders(deps, user, readPage(query))} />
  )

  const showOrder: ShowPage<WebsiteUser> = async (user, context) => {
    const uid = context.params.uid ?? ''
    const state = atPage(context, `/orders/${uid}`)
    return (
      <OrderPage state={state} own={await getOrder(deps, user, uid)} canReturn={deps.payments !== null} />
    )
  }

  const cancel: Act<WebsiteUser> = async (user, _, { params: { uid = '' } }) => {
    await cancelOrder(deps, user, uid)
    return `/orders/${uid}?done=cancelled`
  }

  const giveBack: Act<WebsiteUser> = async (user, _, { params: { uid = '' } }) => {
    await refundOrder(deps, user, uid, {}, record)
    return `/orders/${uid}?done=refunded`
  }

  const app = new Elysia({ name: 'order-pages', prefix: '/orders' })
    .use(kit)
    .get('', view(showOrders), { page: true })
    .get('/:uid', view(showOrder), { page: true })
  if (!deps.payments) return app
  return app
    .post('/:uid/cancel', submit('cancel', cancel, showOrder), { page: true, limit: 'checkout' })
    .post('/:uid/refund', submit('refund', giveBack, showOrder), { page: true, limit: 'refund' })
}
