import type { Deps } from '../../../deps.ts'
import { done, Envelope, listOf, Nothing, ok } from '../../../http/input/schema.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import { parsePage } from '../../../lib/paging.ts'
import { Admin, AdminInput, Invite, Removed } from './model.ts'
import { acceptInvite, declineInvite, inviteAdmin, listAdmins, listInvites, removeAdmin } from './service.ts'

export function teamRoutes(kit: HttpKit, deps: Deps) {
  return createRoutes(kit, { name: 'team', prefix: '/api/v1/private', tags: ['Listings'] })
    .get(
      '/games/:uid/admins',
      async ({ actor, params, query }) => ok(await listAdmins(deps, actor, params.uid, parsePage(query))),
      {
        website: true,
        ...listOf(Admin),
        summary: 'The admins of the listing, and those who are invited',
      },
    )
    .post(
      '/games/:uid/admins',
      async ({ actor, params, body, status }) => {
        const { admin, isNew } = await inviteAdmin(deps, actor, params.uid, body.username)
        return isNew ? status(201, ok(admin)) : ok(admin)
      },
      {
        website: true,
        fresh: true,
        limit: 'invite',
        body: AdminInput,
        response: { 200: Envelope(Admin), 201: Envelope(Admin) },
        summary: 'Invite someone to help run the listing',
      },
    )
    .delete(
      '/games/:uid/admins/:user_uid',
      async ({ actor, params }) => ok(await removeAdmin(deps, actor, params.uid, params.user_uid)),
      {
        website: true,
        fresh: true,
        response: Envelope(Removed),
        summary: 'Remove an admin or withdraw an invite; admins can leave',
        description:
          'Deploy keys and trusted publishers that they added end; the response and a mail to the owner name them, and the auth key of sign-in that they could read.',
      },
    )
    .get('/invites', async ({ actor, query }) => ok(await listInvites(deps, actor, parsePage(query))), {
      website: true,
      ...listOf(Invite),
      summary: 'Your open invites',
    })
    .post(
      '/invites/:uid/accept',
      async ({ actor, params }) => ok(await acceptInvite(deps, actor, params.uid)),
      {
        website: true,
        limit: 'account_write',
        response: Envelope(Invite),
        summary: 'Accept an invite',
      },
    )
    .post(
      '/invites/:uid/decline',
      async ({ actor, params }) => await done(declineInvite(deps, actor, params.uid)),
      {
        website: true,
        limit: 'account_write',
        response: Nothing,
        summary: 'Decline an invite',
      },
    )
}
