import type { Sales, SoldOrder } from '../../../features/selling/sales/service.ts'
import type { Visit } from '../../../http/visit.ts'
import type { Paged } from '../../../lib/paging.ts'
import { Pager } from '../../components/lists.tsx'
import { FaultSummary, FieldGroup } from '../../kit/form.tsx'
import { Moment } from '../../kit/labels.tsx'
import { Layout } from '../../kit/layout.tsx'
import { formOf } from '../../kit/pages.ts'
import { StudioPage, type TabProps } from '../frame/studio-frame.tsx'
import { dollars, RefundForm, SalesFigures, SalesPeriods, SoldState, summaryOf } from './sales-parts.tsx'

const NOTICES = { refunded: 'The money is on its way back to the buyer.' }

interface ProjectSalesProps extends TabProps {
  days: number
  sales: Sales
  sold: Paged<SoldOrder>
}

/** The sales of one listing. */
export function ProjectSalesPage({ project, state, days, sales, sold }: ProjectSalesProps) {
  const { visit, refused } = state
  const base = `/studio/${project.listing.vanity_name}/sales`
  return (
    <StudioPage {...{ visit, project }} tab="sales" lead={summaryOf(sales.total, days)} notices={NOTICES}>
      {refused === undefined ? null : <FaultSummary form={refused.form} scope={refused.name} />}
      <SalesPeriods base={base} days={days} />
      <SalesFigures sales={sales} days={days} />
      <p>
        What you gave away is in <a href={`/studio/${project.listing.vanity_name}/keys`}>Keys</a>.
      </p>
      {sold.total === 0 ? null : (
        <FieldGroup id="orders" title="Orders">
          <ul class="records sold">
            {sold.items.map((order) => (
              <li key={order.uid}>
                <div>
                  <p>
                    <strong dir="auto">{order.title}</strong> {dollars(order.amountCents)} by{' '}
                    {order.buyer ?? 'a deleted account'}
                  </p>
                  <p class="row">
                    <SoldState {...order} />
                    <span class="quiet small">
                      <Moment at={order.paidAt} />
                    </span>
                  </p>
                </div>
                {project.listing.role === 'owner' ? (
                  <RefundForm
                    order={order}
                    action={`${base}/${order.uid}/refund`}
                    form={formOf(state, 'refund')}
                  />
                ) : null}
              </li>
            ))}
          </ul>
          <Pager {...sold} url={visit.url} />
        </FieldGroup>
      )}
    </StudioPage>
  )
}

/** The sales of all projects of a person. */
export function AllSalesPage({ visit, days, sales }: { visit: Visit; days: number; sales: Sales }) {
  return (
    <Layout visit={visit} title="Sales" style="studio">
      <div class="stack">
        <h1>Sales</h1>
        <p class="lead">{summaryOf(sales.total, days)}</p>
        <p class="row">
          <a href="/studio">Your projects</a>
          <a href="/studio/payouts">Payouts</a>
        </p>
        <SalesPeriods base="/studio/sales" days={days} />
        <SalesFigures sales={sales} days={days} />
      </div>
    </Layout>
  )
}
