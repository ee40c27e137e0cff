import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { RefundInput } from '../../../features/selling/refunds/model.ts'
import { type RecordRefund, refundOrder } from '../../../features/selling/refunds/service.ts'
import {
  ALL_ORDERS,
  exportSales,
  listSold,
  openGameSales,
  readSales,
  SALES_DAYS_DEFAULT,
  SALES_DAYS_MAX,
} from '../../../features/selling/sales/service.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { clamp, readPage } from '../../../lib/paging.ts'
import { checkForm, readCents, textOf } from '../../kit/form-state.ts'
import { ownPages, type ShowPage } from '../../kit/pages.ts'
import { requireUser } from '../../kit/signed-in.ts'
import { sendCsv } from '../frame/csv.ts'
import { openProject, projectPages, type ShowTab, type TabAct, tabPath } from '../frame/project.ts'
import { AllSalesPage, ProjectSalesPage } from './sales-page.tsx'
import { salesLines } from './sales-parts.tsx'

export const readDays = (query: { days?: string | undefined }) =>
  clamp(query.days, SALES_DAYS_DEFAULT, 1, SALES_DAYS_MAX)

/** What the projects of a developer earn; missing in a store that sells nothing. */
export function salesPages(kit: HttpKit, deps: Deps, record: RecordRefund) {
  const app = new Elysia({ name: 'sales-pages', prefix: '/studio' }).use(kit)
  if (!deps.payments) return app
  const { db } = deps
  const project = projectPages(deps)

  const showAll: ShowPage<WebsiteUser> = async ({ userUid }, { visit, query }) => {
    const days = readDays(query)
    const sales = await readSales(db, { kind: 'person', userUid }, days)
    return <AllSalesPage {...{ visit, days, sales }} />
  }

  const showTab: ShowTab = async (opened, state) => {
    const days = readDays(state.query)
    const scope = await openGameSales(deps, opened.user, opened.listing.uid)
    const [sales, sold] = await Promise.all([
      readSales(db, scope, days),
      listSold(db, scope, ALL_ORDERS, readPage(state.query)),
    ])
    return <ProjectSalesPage {...{ project: opened, state, days, sales, sold }} />
  }

  const refund: TabAct = async (opened, form, { params }) => {
    await refundOrder(deps, opened.user, params.order_uid ?? '', readRefund(form), record)
    return tabPath(opened, 'sales', 'refunded')
  }

  return app
    .get('/sales', ownPages.view(showAll), { page: true })
    .get(
      '/sales.csv',
      async ({ visit, query, set }) => {
        const { userUid } = requireUser(visit.actor)
        const lines = await exportSales(db, { kind: 'person', userUid }, readDays(query))
        return sendCsv(set, 'sales', salesLines(lines))
      },
      { page: true },
    )
    .get('/:uid/sales', project.view(showTab), { page: true })
    .get(
      '/:uid/sales.csv',
      async ({ visit, params, query, set }) => {
        const { user, listing } = await openProject(deps, visit, params.uid)
        const scope = await openGameSales(deps, user, listing.uid)
        const lines = await exportSales(db, scope, readDays(query))
        return sendCsv(set, `${listing.vanity_name}-sales`, salesLines(lines))
      },
      { page: true },
    )
    .post('/:uid/sales/:order_uid/refund', project.submit('refund', refund, showTab), {
      page: true,
      fresh: true,
      limit: ['refund', 'listing_write'],
    })
}

/** Owners and operators give a reason; an empty amount is everything that is left. */
export function readRefund(form: URLSearchParams): RefundInput {
  const amount = textOf(form, 'amount_cents').trim()
  const input = {
    reason: textOf(form, 'reason').trim(),
    ...(amount !== '' && { amount_cents: readCents(form, 'amount_cents') }),
  }
  checkForm(RefundInput, input)
  return input
}
