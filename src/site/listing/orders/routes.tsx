import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { refundOrder } from '../../../features/selling/orders/refunds.ts'
import { cancelOrder, getOrder, listOrders } from '../../../features/selling/orders/service.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import { parsePage } from '../../../lib/paging.ts'
import { type Act, atPage, ownPages, type ShowPage } from '../../kit/pages.ts'
import { OrderPage, OrdersPage } from './order-page.tsx'

const { view, submit } = ownPages

/** A person's orders. In a store that no longer sells they can be read, but not cancelled or refunded. */
export function orderPages(kit: HttpKit, deps: Deps) {
  const showOrders: ShowPage<WebsiteUser> = async (user, { visit, query }) => (
    <OrdersPage visit={visit} orders={await listOrders(deps, user, parsePage(query))} />
  )

  const showOrder: ShowPage<WebsiteUser> = async (user, context) => {
    const uid = context.params.uid ?? ''
    const state = atPage(context, `/orders/${uid}`)
    return (
      <OrderPage state={state} own={await getOrder(deps, user, uid)} canRefund={deps.payments !== null} />
    )
  }

  const cancel: Act<WebsiteUser> = async (user, _, { params: { uid = '' } }) => {
    await cancelOrder(deps, user, uid)
    return `/orders/${uid}?done=cancelled`
  }

  const refund: Act<WebsiteUser> = async (user, _, { params: { uid = '' } }) => {
    await refundOrder(deps, user, uid, {})
    return `/orders/${uid}?done=refunded`
  }

  const app = createRoutes(kit, { name: 'order-pages', prefix: '/orders' })
    .get('', view(showOrders), { page: true })
    .get('/:uid', view(showOrder), { page: true })
  if (!deps.payments) return app
  return app
    .post('/:uid/cancel', submit('cancel', cancel, showOrder), { page: true, limit: 'checkout' })
    .post('/:uid/refund', submit('refund', refund, showOrder), { page: true, limit: 'refund' })
}
