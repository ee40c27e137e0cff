import { Elysia } from 'elysia'

import type { Deps } from '../../deps.ts'
import { Envelope, listOf, ok } from '../../http/input/schema.ts'
import { createRoutes, type HttpKit } from '../../http/kit.ts'
import { parsePage } from '../../lib/paging.ts'
import { FiledReport, ReportForm } from './reports/model.ts'
import { type Filed, quotaHeaders, reportFromStore, reportInGame } from './reports/service.ts'
import { BugReporter, BugReporterEdit } from './settings/model.ts'
import { changeReporter, getReporter, renewSigningKey } from './settings/service.ts'
import { noticeRoutes, screenshotRoutes, ticketRoutes } from './tickets/routes.ts'
import { Delivery, SentTests } from './webhooks/model.ts'
import { listDeliveries, redeliver, testWebhooks } from './webhooks/service.ts'

/** Routes for bug reports, their settings, tickets and webhooks. */
export function bugAreaRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'bugs area' })
    .use(bugReporterRoutes(kit, deps))
    .use(bugReportRoutes(kit, deps))
    .use(ticketRoutes(kit, deps))
    .use(noticeRoutes(kit, deps))
    .use(webhookRoutes(kit, deps))
    .use(screenshotRoutes(deps))
}

function bugReporterRoutes(kit: HttpKit, deps: Deps) {
  return createRoutes(kit, {
    name: 'bug-reporter',
    prefix: '/api/v1/private/games/:uid/bug-reporter',
    tags: ['Bugs'],
  })
    .get('', async ({ actor, params }) => ok(await getReporter(deps, actor, params.uid)), {
      website: true,
      response: Envelope(BugReporter),
      summary: 'The bug reporter’s settings',
    })
    .put(
      '',
      async ({ actor, params, body }) => {
        const input = await BugReporterEdit.settle(body, () => getReporter(deps, actor, params.uid))
        return ok(await changeReporter(deps, actor, params.uid, input))
      },
      {
        website: true,
        body: BugReporterEdit.body,
        response: Envelope(BugReporter),
        summary: 'Change the bug reporter’s settings',
        fails: 'email_not_verified',
      },
    )
    .post('/signing-key', async ({ actor, params }) => ok(await renewSigningKey(deps, actor, params.uid)), {
      website: true,
      response: Envelope(BugReporter),
      summary: 'Replace the signing key; older signatures and screenshot URLs end',
    })
}

function webhookRoutes(kit: HttpKit, deps: Deps) {
  return createRoutes(kit, {
    name: 'bug-webhooks',
    prefix: '/api/v1/private/games/:uid/bug-reporter',
    tags: ['Bugs'],
  })
    .post('/test-webhook', async ({ actor, params }) => ok(await testWebhooks(deps, actor, params.uid)), {
      website: true,
      response: Envelope(SentTests),
      summary: 'Send a signed test to every webhook URL',
    })
    .get(
      '/deliveries',
      async ({ actor, params, query }) => ok(await listDeliveries(deps, actor, params.uid, parsePage(query))),
      {
        website: true,
        ...listOf(Delivery),
        summary: 'The webhooks of the last 30 days with every attempt, newest first',
      },
    )
    .post(
      '/deliveries/:delivery_uid/redeliver',
      async ({ actor, params }) => ok(await redeliver(deps, actor, params.uid, params.delivery_uid)),
      {
        website: true,
        response: Envelope(Delivery),
        summary: 'Send a webhook again',
        fails: 'taken',
      },
    )
}

const errors = ['forbidden', 'bug_cap_reached', 'rate_limited'] as const
const requestBody = {
  required: true,
  content: { 'multipart/form-data': { schema: ReportForm } },
}

interface Answering {
  set: { status?: number | string; headers: Record<string, string | number> }
}

function bugReportRoutes(kit: HttpKit, deps: Deps) {
  return createRoutes(kit, { name: 'bug-reports', prefix: '/api/v1' })
    .post(
      '/games/:game_uid/bugs',
      async (context) =>
        answer(context, await reportInGame(deps, context.actor, context.params.game_uid, context)),
      {
        rawBody: true,
        reporter: true,
        response: { 201: Envelope(FiledReport) },
        tags: ['Bug reports'],
        summary: 'Report a bug from the running game',
        fails: errors,
        detail: { requestBody },
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
        tags: ['Bugs'],
        summary: 'Report a bug from the store page; needs a licence',
        fails: errors,
        detail: { requestBody },
      },
    )
}

function answer({ set }: Answering, { ticket, quota }: Filed) {
  Object.assign(set.headers, quotaHeaders(quota))
  set.status = 201
  return ok(ticket)
}
