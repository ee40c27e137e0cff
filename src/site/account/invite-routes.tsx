import { Elysia } from 'elysia'

import type { Deps } from '../../deps.ts'
import type { WebsiteUser } from '../../domain/actor.ts'
import { AppError } from '../../errors.ts'
import { acceptInvite, declineInvite, listInvites } from '../../features/listings/team/service.ts'
import type { HttpKit } from '../../http/kit.ts'
import { parsePage } from '../../lib/paging.ts'
import { type Act, atPage, ownPages, type ShowPage } from '../kit/pages.ts'
import { InvitesPage } from './invites-page.tsx'

const { view, submit } = ownPages

/** The page that an invitation mail links to. */
export function invitePages(kit: HttpKit, deps: Deps) {
  const showInvites: ShowPage<WebsiteUser> = async (user, context) => {
    const { items: invites } = await listInvites(deps, user, parsePage(context.query))
    return <InvitesPage state={atPage(context, '/dashboard/invites')} invites={invites} />
  }

  const decide: Act<WebsiteUser> = async (user, form, { params: { uid = '' } }) => {
    const decision = form.get('decision')
    if (decision !== 'accept' && decision !== 'decline') {
      throw new AppError('invalid_request', { message: 'Choose to accept or to decline.' })
    }
    await (decision === 'accept' ? acceptInvite(deps, user, uid) : declineInvite(deps, user, uid))
    return `/dashboard/invites?done=${decision}`
  }

  return new Elysia({ name: 'invite-pages', prefix: '/dashboard/invites' })
    .use(kit)
    .get('/', view(showInvites), { page: true })
    .post('/:uid', submit('invite', decide, showInvites), { page: true, limit: 'account_write' })
}
