import { Elysia } from 'elysia'

import type { Operate } from '../../features/operate/operate.ts'
import { recordRefund } from '../../features/operate/sales/service.ts'
import { refundOrder } from '../../features/selling/refunds/service.ts'
import { exportSales, listSold, readSales, type Scope } from '../../features/selling/sales/service.ts'
import type { HttpKit } from '../../http/kit.ts'
import { readPage } from '../../lib/paging.ts'
import { atPage } from '../kit/pages.ts'
import { sendCsv } from '../studio/frame/csv.ts'
import { readDays, readRefund } from '../studio/sales/routes.tsx'
import { salesLines } from '../studio/sales/sales-parts.tsx'
import { type OperatorAct, operatorAct, type OperatorPage, operatorPages } from './operator-form.ts'
import { OperateSalesPage } from './sales-page.tsx'

const STORE: Scope = { kind: 'store' }
const PATH = '/operate/sales'
const TEXT_MAX = 200

/** Orders and the fee earned; missing in a store that sells nothing. */
export function operateSalesPages(kit: HttpKit, operate: Operate) {
  const { deps } = operate
  const { view, submit } = operatorPages(operate)
  const app = new Elysia({ name: 'operate-sales' }).use(kit)
  const { payments, db } = deps
  if (!payments) return app

  const showSales: OperatorPage = async (_, context) => {
    const state = atPage(context, PATH)
    const { query } = state
    const days = readDays(query)
    const search = {
      text: (query.q ?? '').trim().slice(0, TEXT_MAX),
      isDisputed: query.disputed === 'true',
    }
    const [sales, sold] = await Promise.all([
      readSales(db, STORE, days),
      listSold(db, STORE, search, readPage(query)),
    ])
    return <OperateSalesPage {...{ state, mode: payments.mode, days, sales, sold }} />
  }

  const refund: OperatorAct = async (operator, form, { params }) => {
    await refundOrder(deps, operator, params.uid ?? '', readRefund(form), recordRefund)
    return `${PATH}?done=refunded`
  }

  return app
    .get('/sales', view(showSales), { operatorPage: true })
    .get(
      '/sales.csv',
      async ({ query, set }) =>
        sendCsv(set, 'sales', salesLines(await exportSales(db, STORE, readDays(query)))),
      { operatorPage: true },
    )
    .post('/sales/:uid/refund', submit('refund', refund, showSales), operatorAct())
}
