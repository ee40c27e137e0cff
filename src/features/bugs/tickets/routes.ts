import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import { Envelope, ok, Paged } from '../../../http/input/schema.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import { openRead } from '../../../http/server/admission.ts'
import { parsePage } from '../../../lib/paging.ts'
import {
  BugNotices,
  NoticesAck,
  NoticesAcked,
  Ticket,
  TicketDetails,
  TicketEdit,
  TicketQuery,
} from './model.ts'
import {
  acknowledgeNotices,
  changeTicket,
  listNotices,
  listTickets,
  loadTicket,
  openScreenshot,
} from './service.ts'

const tags = ['Bugs']

export function ticketRoutes(kit: HttpKit, deps: Deps) {
  return createRoutes(kit, { name: 'bug-tickets', prefix: '/api/v1/private/games/:uid/bugs' })
    .get(
      '',
      async ({ actor, params, query }) =>
        ok(await listTickets(deps, actor, params.uid, query.status, parsePage(query))),
      {
        website: true,
        query: TicketQuery,
        response: Envelope(Paged(Ticket)),
        tags,
        summary: 'The tickets of a game, newest first',
      },
    )
    .get(
      '/:ticket_uid',
      async ({ actor, params }) => ok(await loadTicket(deps, actor, params.uid, params.ticket_uid)),
      {
        website: true,
        response: Envelope(TicketDetails),
        tags,
        summary: 'One ticket with its log and history',
      },
    )
    .patch(
      '/:ticket_uid',
      async ({ actor, params: { uid, ticket_uid }, body }) => {
        const patch = await TicketEdit.settle(body, () => loadTicket(deps, actor, uid, ticket_uid))
        return ok(await changeTicket(deps, actor, uid, ticket_uid, patch))
      },
      {
        website: true,
        body: TicketEdit.body,
        response: Envelope(TicketDetails),
        tags,
        summary: 'Set the status of a ticket, or add a note',
      },
    )
}

const reportTags = ['Bug reports']

export function noticeRoutes(kit: HttpKit, deps: Deps) {
  return createRoutes(kit, { name: 'bug-notices', prefix: '/api/v1/games/:game_uid/bugs/notices' })
    .get('', async ({ actor, params }) => ok(await listNotices(deps, actor, params.game_uid)), {
      limit: 'bug_notices',
      reporter: true,
      response: Envelope(BugNotices),
      tags: reportTags,
      summary: 'Which of the player’s reports were fixed, until acknowledged',
    })
    .post(
      '/ack',
      async ({ actor, params, body }) =>
        ok(await acknowledgeNotices(deps, actor, params.game_uid, body.uids)),
      {
        limit: 'bug_notices',
        reporter: true,
        body: NoticesAck,
        response: Envelope(NoticesAcked),
        tags: reportTags,
        summary: 'Acknowledge notices; unknown ones are ignored',
      },
    )
}

/** Serves the screenshots of tickets to those who hold a signed link. */
export function screenshotRoutes(deps: Deps) {
  return new Elysia({ name: 'bug-screenshots' }).get(
    '/screenshots/:game_uid/:file',
    async ({ params, query }) => {
      const objectKey = `screenshots/${params.game_uid}/${params.file}`
      const { stream, size, contentType } = await openScreenshot(deps, params.game_uid, objectKey, query)
      const headers = {
        'Content-Type': contentType,
        'Content-Length': String(size),
        'Content-Disposition': 'inline',
        'Cache-Control': 'private, no-store',
        'Cross-Origin-Resource-Policy': 'cross-origin',
      }
      return new Response(stream, { headers })
    },
    openRead({ hide: true }),
  )
}
