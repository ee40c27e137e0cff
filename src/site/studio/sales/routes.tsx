import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { RefundInput } from '../../../features/selling/orders/model.ts'
import { refundOrder } from '../../../features/selling/orders/refunds.ts'
import {
  ALL_ORDERS,
  exportSales,
  listSold,
  loadSales,
  openGameSales,
  SALES_DAYS_DEFAULT,
  SALES_DAYS_MAX,
} from '../../../features/selling/sales/service.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import { clamp, parsePage } from '../../../lib/paging.ts'
import { maybeDollars, readForm, trimmed } from '../../kit/form-state.ts'
import { ownPages, requireUser, type ShowPage } from '../../kit/pages.ts'
import { sendCsv } from '../frame/csv.ts'
import { openProject, projectPages, type ShowTab, type TabAct, tabPath } from '../frame/studio-frame.tsx'
import { AllSalesPage, ProjectSalesPage } from './sales-page.tsx'
import { salesLines } from './sales-parts.tsx'

export const parseDays = (query: { days?: string | undefined }) =>
  clamp(query.days, SALES_DAYS_DEFAULT, 1, SALES_DAYS_MAX)

/** The sales of a developer's projects; a store that sells nothing does not have these pages. */
export function salesPages(kit: HttpKit, deps: Deps) {
  const app = createRoutes(kit, { name: 'sales-pages', prefix: '/studio' })
  if (!deps.payments) return app
  const { db } = deps
  const project = projectPages(deps)

  const showAll: ShowPage<WebsiteUser> = async ({ userUid }, { visit, query }) => {
    const days = parseDays(query)
    const sales = await loadSales(db, { kind: 'person', userUid }, days)
    return <AllSalesPage {...{ visit, days, sales }} />
  }

  const showTab: ShowTab = async (opened, state) => {
    const days = parseDays(state.query)
    const scope = await openGameSales(deps, opened.user, opened.listing.uid)
    const [sales, sold] = await Promise.all([
      loadSales(db, scope, days),
      listSold(db, scope, ALL_ORDERS, parsePage(state.query)),
    ])
    return <ProjectSalesPage {...{ project: opened, state, days, sales, sold }} />
  }

  const refund: TabAct = async (opened, form, { params }) => {
    await refundOrder(deps, opened.user, params.order_uid ?? '', parseRefund(form))
    return tabPath(opened, 'sales', 'refunded')
  }

  return app
    .get('/sales', ownPages.view(showAll), { page: true })
    .get(
      '/sales.csv',
      async ({ visit, query, set }) => {
        const { userUid } = requireUser(visit.actor)
        const lines = await exportSales(db, { kind: 'person', userUid }, parseDays(query))
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
        const lines = await exportSales(db, scope, parseDays(query))
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

/** Owners and operators give a reason; an empty amount means everything that is left. */
export const parseRefund = (form: URLSearchParams) =>
  readForm(RefundInput, form, { reason: trimmed, amount_cents: maybeDollars })
