import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import { Paged } from '../../../http/input/paging.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { readPage } from '../../../lib/paging.ts'
import { Ticket, TicketDetails, TicketEdit, TicketQuery } from './model.ts'
import { changeTicket, listTickets, readTicket } from './service.ts'

const tags = ['Bugs']

export function ticketRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'bug-tickets', prefix: '/api/v1/private/games/:uid/bugs' })
    .use(kit)
    .get(
      '',
      async ({ actor, params, query }) =>
        ok(await listTickets(deps, actor, params.uid, query.status, readPage(query))),
      {
        website: true,
        query: TicketQuery,
        response: Envelope(Paged(Ticket)),
        detail: { tags, summary: 'The tickets of a game, newest first' },
      },
    )
    .get(
      '/:ticket_uid',
      async ({ actor, params }) => ok(await readTicket(deps, actor, params.uid, params.ticket_uid)),
      {
        website: true,
        response: Envelope(TicketDetails),
        detail: { tags, summary: 'One ticket with its log and history' },
      },
    )
    .patch(
      '/:ticket_uid',
      async ({ actor, params: { uid, ticket_uid }, body }) => {
        const patch = await TicketEdit.settle(body, () => readTicket(deps, actor, uid, ticket_uid))
        return ok(await changeTicket(deps, actor, uid, ticket_uid, patch))
      },
      {
        website: true,
        body: TicketEdit.body,
        response: Envelope(TicketDetails),
        detail: { tags, summary: 'Set the status of a ticket, or add a note' },
      },
    )
}
