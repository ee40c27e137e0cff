import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { failsWith } from '../../../http/openapi/failures.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { FiledReport, ReportForm } from './model.ts'
import { type Filed, quotaHeaders, reportFromStore, reportInGame } from './service.ts'

const errors = failsWith('forbidden', 'bug_cap_reached', 'rate_limited')
const requestBody = {
  required: true,
  content: { 'multipart/form-data': { schema: ReportForm } },
}

interface Answering {
  set: { status?: number | string; headers: Record<string, string | number> }
}

export function bugReportRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'bug-reports', prefix: '/api/v1' })
    .use(kit)
    .post(
      '/games/:game_uid/bugs',
      async (context) =>
        answer(context, await reportInGame(deps, context.actor, context.params.game_uid, context)),
      {
        rawBody: true,
        reporter: true,
        response: { 201: Envelope(FiledReport) },
        detail: {
          tags: ['Bug reports'],
          summary: 'Report a bug from the running game',
          requestBody,
          ...errors,
        },
      },
    )
    .post(
      '/private/games/:uid/bugs',
      async (context) =>
        answer(context, await reportFromStore(deps, context.actor, context.params.uid, context)),
      {
        rawBody: true,
        website: true,
        response: { 201: Envelope(FiledReport) },
        detail: {
          tags: ['Bugs'],
          summary: 'Report a bug from the store page; needs a licence',
          requestBody,
          ...errors,
        },
      },
    )
}

function answer({ set }: Answering, { ticket, quota }: Filed) {
  Object.assign(set.headers, quotaHeaders(quota))
  set.status = 201
  return ok(ticket)
}
