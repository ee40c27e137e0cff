import { Elysia } from 'elysia'

import { Paged } from '../../../http/input/paging.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { readPage } from '../../../lib/paging.ts'
import type { Operate } from '../operate.ts'
import { PageReport, ReportQuery } from './model.ts'
import { closeReport, listReports, readReportState } from './service.ts'

const tags = ['Operators']

export function operatorReportRoutes(kit: HttpKit, operate: Operate) {
  const { db } = operate.deps
  return new Elysia({ name: 'operator-reports', prefix: '/api/v1/operator/reports' })
    .use(kit)
    .get('', async ({ query }) => ok(await listReports(db, readReportState(query.state), readPage(query))), {
      operator: true,
      limit: 'operator',
      query: ReportQuery,
      response: Envelope(Paged(PageReport)),
      detail: { tags, summary: 'Reports of pages from players' },
    })
    .post(
      '/:uid/dismiss',
      async ({ actor, params }) => ok(await closeReport(operate, actor, params.uid, 'dismissed')),
      {
        operator: true,
        limit: 'operator',
        response: Envelope(PageReport),
        detail: { tags, summary: 'Close a report without doing anything' },
      },
    )
    .post(
      '/:uid/resolve',
      async ({ actor, params }) => ok(await closeReport(operate, actor, params.uid, 'resolved')),
      {
        operator: true,
        limit: 'operator',
        response: Envelope(PageReport),
        detail: { tags, summary: 'Close a report that something was done about' },
      },
    )
}
