import type { Deps } from '../../deps.ts'
import { listActs } from '../../features/audit/service.ts'
import { listMissedSearches } from '../../features/catalog/search/request.ts'
import { dismissLookAlike, listLookAlikes } from '../../features/operate/look-alikes/service.ts'
import { closeReport, listReports, parseReportState } from '../../features/operate/moderation/service.ts'
import { listChecklist } from '../../features/operate/setup/checklist.ts'
import type { RecentRequests } from '../../features/operate/status/recent-requests.ts'
import {
  createStatusReader,
  listJobs,
  parseJobState,
  rebuildIndex,
  tryAgain,
} from '../../features/operate/status/service.ts'
import { createRoutes, type HttpKit } from '../../http/kit.ts'
import { parsePage } from '../../lib/paging.ts'
import { atPage } from '../kit/pages.ts'
import { operateAccountPages } from './account-routes.tsx'
import { AuditPage } from './audit-page.tsx'
import { operateCollectionPages } from './collections/routes.tsx'
import { JobsPage } from './jobs-page.tsx'
import { operateListingPages } from './listing-routes.tsx'
import { ReportsPage } from './moderation-pages.tsx'
import { type OperatorAct, operatorAct, type OperatorPage, operatorPages } from './operator-form.tsx'
import { peoplePages } from './people-routes.tsx'
import { operatePostPages } from './post-routes.tsx'
import { operateSalesPages } from './sales-pages.tsx'
import { SearchesPage } from './searches-page.tsx'
import { storeSettingsPages } from './settings/settings-routes.tsx'
import { StatusPage } from './status-page.tsx'

/** The pages of the operators; everyone else gets "not found". */
export function operatePages(kit: HttpKit, deps: Deps, recent: RecentRequests) {
  const { view, submit } = operatorPages(deps)
  const { db } = deps
  const readStatus = createStatusReader(deps, recent)

  const showStatus: OperatorPage = async (_, context) => {
    const status = await readStatus()
    const checklist = await listChecklist(deps, status)
    return <StatusPage {...{ state: atPage(context, '/operate'), status, checklist }} />
  }

  const rebuild: OperatorAct = async (operator) => {
    await rebuildIndex(deps, operator)
    return '/operate?done=rebuild'
  }

  const showJobs: OperatorPage = async (_, context) => {
    const state = atPage(context, '/operate/jobs')
    const jobs = await listJobs(deps, parseJobState(state.query.state), parsePage(state.query))
    return <JobsPage {...{ state, jobs }} />
  }

  const retry: OperatorAct = async (operator, _, { params }) => {
    await tryAgain(deps, operator, params.id ?? '')
    return '/operate/jobs?done=retried'
  }

  const showReports: OperatorPage = async (_, context) => {
    const state = atPage(context, '/operate/reports')
    const which = parseReportState(state.query.state)
    const reports = await listReports(db, which, parsePage(state.query))
    const names = which === 'open' ? (await listLookAlikes(deps, parsePage({}))).items : []
    return <ReportsPage {...{ state, reports, names }} />
  }

  const acceptName: OperatorAct = async (operator, _, { params }) => {
    await dismissLookAlike(deps, operator, params.uid ?? '')
    return '/operate/reports?done=accepted'
  }

  const close =
    (how: 'dismissed' | 'resolved'): OperatorAct =>
    async (operator, _, { params }) => {
      await closeReport(deps, operator, params.uid ?? '', how)
      return `/operate/reports?done=${how}`
    }

  const showAudit: OperatorPage = async (_, state) => (
    <AuditPage state={state} acts={await listActs(db, parsePage(state.query))} />
  )

  const showSearches: OperatorPage = async (_, context) => {
    const state = atPage(context, '/operate/searches')
    return <SearchesPage {...{ state, searches: await listMissedSearches(deps, parsePage(state.query)) }} />
  }

  return createRoutes(kit, { name: 'operate-pages', prefix: '/operate' })
    .use(operateListingPages(kit, deps))
    .use(operatePostPages(kit, deps))
    .use(operateAccountPages(kit, deps))
    .use(storeSettingsPages(kit, deps))
    .use(peoplePages(kit, deps))
    .use(operateCollectionPages(kit, deps))
    .use(operateSalesPages(kit, deps))
    .get('/', view(showStatus), { operatorPage: true })
    .post('/search/rebuild', submit('rebuild', rebuild, showStatus), operatorAct())
    .get('/jobs', view(showJobs), { operatorPage: true })
    .post('/jobs/:id/retry', submit('retry', retry, showJobs), operatorAct())
    .get('/reports', view(showReports), { operatorPage: true })
    .post('/look-alikes/:uid/dismiss', submit('names', acceptName, showReports), operatorAct())
    .post('/reports/:uid/dismiss', submit('dismiss', close('dismissed'), showReports), operatorAct())
    .post('/reports/:uid/resolve', submit('resolve', close('resolved'), showReports), operatorAct())
    .get('/searches', view(showSearches), { operatorPage: true })
    .get('/audit', view(showAudit), { operatorPage: true })
}
