import { Elysia, t } from 'elysia'

import { Paged, PageQuery } from '../../../http/input/paging.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { failsWith } from '../../../http/openapi/failures.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { readPage } from '../../../lib/paging.ts'
import type { Operate } from '../operate.ts'
import { AccountInput, Invitation, InvitationsInput, NewInvitations } from './model.ts'
import { addAccount, listInvitations, makeInvitations, revokeInvitation } from './service.ts'

const tags = ['Operators']

export function invitationRoutes(kit: HttpKit, operate: Operate) {
  return new Elysia({ name: 'operator-invitations', prefix: '/api/v1/operator' })
    .use(kit)
    .get('/invites', async ({ query }) => ok(await listInvitations(operate, readPage(query))), {
      operator: true,
      limit: 'operator',
      query: PageQuery,
      response: Envelope(Paged(Invitation)),
      detail: { tags, summary: 'Invitations to create an account, newest first' },
    })
    .post(
      '/invites',
      async ({ actor, body, status }) => status(201, ok(await makeInvitations(operate, actor, body))),
      {
        operator: true,
        limit: 'operator',
        body: InvitationsInput,
        response: { 201: Envelope(NewInvitations) },
        detail: { tags, summary: 'Make invitations; their codes are shown only here', ...failsWith('taken') },
      },
    )
    .delete(
      '/invites/:uid',
      async ({ actor, params }) => {
        await revokeInvitation(operate, actor, params.uid)
        return ok({})
      },
      {
        operator: true,
        limit: 'operator',
        response: Envelope(t.Object({})),
        detail: { tags, summary: 'Delete an invitation; accounts that used it stay' },
      },
    )
    .post(
      '/accounts',
      async ({ actor, body, status }) => status(201, ok(await addAccount(operate, actor, body.email))),
      {
        operator: true,
        limit: 'operator',
        body: AccountInput,
        response: { 201: Envelope(Invitation) },
        detail: {
          tags,
          summary: 'Add an account: mails a link by which its owner chooses name and password',
          ...failsWith('taken'),
        },
      },
    )
}
