import { Elysia } from 'elysia'

import { listActs } from '../../features/operate/audit/service.ts'
import type { Operate } from '../../features/operate/operate.ts'
import { listJobs, readJobState, rebuildIndex, tryAgain } from '../../features/operate/queue/service.ts'
import { closeReport, listReports, readReportState } from '../../features/operate/reports/service.ts'
import { createStatusReader } from '../../features/operate/status/service.ts'
import type { HttpKit } from '../../http/kit.ts'
import { readPage } from '../../lib/paging.ts'
import { show } from '../kit/render.ts'
import { operateAccountPages } from './account-routes.tsx'
import { AuditPage } from './audit-page.tsx'
import { JobsPage } from './jobs-page.tsx'
import { operateListingPages } from './listing-routes.tsx'
import { ReportsPage } from './reports-page.tsx'
import { StatusPage } from './status-page.tsx'

const NOTICES: Readonly<Record<string, string>> = {
  rebuild: 'The search index is being rebuilt.',
  retried: 'The job starts over.',
  dismissed: 'The report is dismissed.',
  resolved: 'The report is resolved.',
}

/** For those who run the store; missing for everyone else. */
export function operatePages(kit: HttpKit, operate: Operate) {
  const { db } = operate.deps
  const readStatus = createStatusReader(operate)
  return new Elysia({ name: 'operate-pages', prefix: '/operate' })
    .use(kit)
    .use(operateListingPages(kit, operate))
    .use(operateAccountPages(kit, operate))
    .get(
      '/',
      async ({ visit, query, set }) => {
        const notice = NOTICES[query.done ?? '']
        return show(visit, set, <StatusPage {...{ visit, notice, status: await readStatus() }} />)
      },
      { operatorPage: true },
    )
    .post(
      '/search/rebuild',
      async ({ visit, redirect }) => {
        await rebuildIndex(operate, visit.actor)
        return redirect('/operate?done=rebuild', 303)
      },
      { operatorPage: true, limit: 'operator' },
    )
    .get(
      '/jobs',
      async ({ visit, query, set }) => {
        const jobs = await listJobs(operate, readJobState(query.state), readPage(query))
        return show(visit, set, <JobsPage {...{ visit, jobs, notice: NOTICES[query.done ?? ''] }} />)
      },
      { operatorPage: true },
    )
    .post(
      '/jobs/:id/retry',
      async ({ visit, params, redirect }) => {
        await tryAgain(operate, visit.actor, params.id)
        return redirect('/operate/jobs?done=retried', 303)
      },
      { operatorPage: true, limit: 'operator' },
    )
    .get(
      '/reports',
      async ({ visit, query, set }) => {
        const reports = await listReports(db, readReportState(query.state), readPage(query))
        return show(visit, set, <ReportsPage {...{ visit, reports, notice: NOTICES[query.done ?? ''] }} />)
      },
      { operatorPage: true },
    )
    .post(
      '/reports/:uid/dismiss',
      async ({ visit, params, redirect }) => {
        await closeReport(operate, visit.actor, params.uid, 'dismissed')
        return redirect('/operate/reports?done=dismissed', 303)
      },
      { operatorPage: true, limit: 'operator' },
    )
    .post(
      '/reports/:uid/resolve',
      async ({ visit, params, redirect }) => {
        await closeReport(operate, visit.actor, params.uid, 'resolved')
        return redirect('/operate/reports?done=resolved', 303)
      },
      { operatorPage: true, limit: 'operator' },
    )
    .get(
      '/audit',
      async ({ visit, query, set }) =>
        show(visit, set, <AuditPage {...{ visit, acts: await listActs(db, readPage(query)) }} />),
      { operatorPage: true },
    )
}
