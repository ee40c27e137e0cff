import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { Report, ReportInput } from './model.ts'
import { reportPage } from './service.ts'

export function reportRoutes(kit: HttpKit, { db }: Deps) {
  return new Elysia({ name: 'reports', prefix: '/api/v1/private/games/:uid' })
    .use(kit)
    .post(
      '/reports',
      async ({ actor, params, body, status }) =>
        status(201, ok(await reportPage(db, actor, params.uid, body))),
      {
        website: true,
        limit: 'page_report',
        body: ReportInput,
        response: { 201: Envelope(Report) },
        detail: { tags: ['Reports'], summary: 'Report the page to the operators' },
      },
    )
}
