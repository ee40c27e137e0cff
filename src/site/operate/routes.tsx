import { Elysia } from 'elysia'

import { listActs } from '../../features/operate/audit/service.ts'
import type { Operate } from '../../features/operate/operate.ts'
import { listJobs, readJobState, rebuildIndex, tryAgain } from '../../features/operate/queue/service.ts'
import { closeReport, listReports, readReportState } from '../../features/operate/reports/service.ts'
import { readChecklist } from '../../features/operate/setup/checklist.ts'
import { createStatusReader } from '../../features/operate/status/service.ts'
import type { HttpKit } from '../../http/kit.ts'
import { readPage } from '../../lib/paging.ts'
import { atPage } from '../kit/pages.ts'
import { operateAccountPages } from './account-routes.tsx'
import { AuditPage } from './audit-page.tsx'
import { operateCollectionPages } from './collections/routes.tsx'
import { JobsPage } from './jobs-page.tsx'
import { operateListingPages } from './listing-routes.tsx'
import { type OperatorAct, operatorAct, type OperatorPage, operatorPages } from './operator-form.ts'
import { ReportsPage } from './reports-page.tsx'
import { operateSalesPages } from './sales-routes.tsx'
import { StatusPage } from './status-page.tsx'
import { peoplePages } from './store/people-routes.tsx'
import { storeSettingsPages } from './store/settings-routes.tsx'

/** For those who run the store; missing for everyone else. */
export function operatePages(kit: HttpKit, operate: Operate) {
  const { view, submit } = operatorPages(operate)
  const { db } = operate.deps
  const readStatus = createStatusReader(operate)

  const showStatus: OperatorPage = async (_, context) => {
    const status = await readStatus()
    const checklist = await readChecklist(operate.deps, status)
    return <StatusPage {...{ state: atPage(context, '/operate'), status, checklist }} />
  }

  const rebuild: OperatorAct = async (operator) => {
    await rebuildIndex(operate, operator)
    return '/operate?done=rebuild'
  }

  const showJobs: OperatorPage = async (_, context) => {
    const state = atPage(context, '/operate/jobs')
    const jobs = await listJobs(operate, readJobState(state.query.state), readPage(state.query))
    return <JobsPage {...{ state, jobs }} />
  }

  const retry: OperatorAct = async (operator, _, { params }) => {
    await tryAgain(operate, operator, params.id ?? '')
    return '/operate/jobs?done=retried'
  }

  const showReports: OperatorPage = async (_, context) => {
    const state = atPage(context, '/operate/reports')
    const reports = await listReports(db, readReportState(state.query.state), readPage(state.query))
    return <ReportsPage {...{ state, reports }} />
  }

  const close =
    (how: 'dismissed' | 'resolved'): OperatorAct =>
    async (operator, _, { params }) => {
      await closeReport(operate, operator, params.uid ?? '', how)
      return `/operate/reports?done=${how}`
    }

  const showAudit: OperatorPage = async (_, state) => (
    <AuditPage state={state} acts={await listActs(db, readPage(state.query))} />
  )

  return new Elysia({ name: 'operate-pages', prefix: '/operate' })
    .use(kit)
    .use(operateListingPages(kit, operate))
    .use(operateAccountPages(kit, operate))
    .use(storeSettingsPages(kit, operate))
    .use(peoplePages(kit, operate))
    .use(operateCollectionPages(kit, operate))
    .use(operateSalesPages(kit, operate))
    .get('/', view(showStatus), { operatorPage: true })
    .post('/search/rebuild', submit('rebuild', rebuild, showStatus), operatorAct())
    .get('/jobs', view(showJobs), { operatorPage: true })
    .post('/jobs/:id/retry', submit('retry', retry, showJobs), operatorAct())
    .get('/reports', view(showReports), { operatorPage: true })
    .post('/reports/:uid/dismiss', submit('dismiss', close('dismissed'), showReports), operatorAct())
    .post('/reports/:uid/resolve', submit('resolve', close('resolved'), showReports), operatorAct())
    .get('/audit', view(showAudit), { operatorPage: true })
}
