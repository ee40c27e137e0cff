import { Elysia } from 'elysia'

import type { Deps } from '../../deps.ts'
import { AppError } from '../../errors.ts'
import { acceptInvite, declineInvite, listInvites } from '../../features/listings/team/service.ts'
import type { HttpKit } from '../../http/kit.ts'
import { readPage } from '../../lib/paging.ts'
import { show } from '../kit/render.ts'
import { requireUser, signInPath } from '../kit/signed-in.ts'
import { InvitesPage } from './invites-page.tsx'

const NOTICES: Readonly<Record<string, string>> = {
  accept: 'You are on the team now.',
  decline: 'The invitation is declined.',
}

/** The page that an invitation mail links to. */
export function invitePages(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'invite-pages', prefix: '/dashboard/invites' })
    .use(kit)
    .get(
      '/',
      async ({ visit, query, set, redirect }) => {
        if (visit.actor.kind !== 'user') return redirect(signInPath(visit), 303)
        const { items: invites } = await listInvites(deps, visit.actor, readPage(query))
        const notice = NOTICES[query.done ?? ''] ?? null
        return show(visit, set, <InvitesPage {...{ visit, invites, notice }} />)
      },
      { page: true },
    )
    .post(
      '/:uid',
      async ({ params: { uid }, visit, form, redirect }) => {
        const user = requireUser(visit.actor)
        const decision = form.get('decision')
        if (decision !== 'accept' && decision !== 'decline') {
          throw new AppError('invalid_request', { message: 'Choose to accept or to decline.' })
        }
        await (decision === 'accept' ? acceptInvite(deps, user, uid) : declineInvite(deps, user, uid))
        return redirect(`/dashboard/invites?done=${decision}`, 303)
      },
      { page: true },
    )
}
