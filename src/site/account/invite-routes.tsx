import type { Deps } from '../../deps.ts'
import type { WebsiteUser } from '../../domain/actor.ts'
import { AppError } from '../../errors.ts'
import type { Invite } from '../../features/listings/team/model.ts'
import { acceptInvite, declineInvite, listInvites } from '../../features/listings/team/service.ts'
import { createRoutes, type HttpKit } from '../../http/kit.ts'
import { parsePage } from '../../lib/paging.ts'
import { PostForm, Submit } from '../kit/form.tsx'
import { Day } from '../kit/labels.tsx'
import { type Act, atPage, ownPages, type PageProps, type ShowPage } from '../kit/pages.ts'
import { SmallPage } from './sign-in-page.tsx'

const { view, submit } = ownPages

const NOTICES = {
  accept: 'You are on the team now.',
  decline: 'The invitation is declined.',
}

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

  return createRoutes(kit, { name: 'invite-pages', prefix: '/dashboard/invites' })
    .get('/', view(showInvites), { page: true })
    .post('/:uid', submit('invite', decide, showInvites), { page: true, limit: 'account_write' })
}

function InvitesPage({ state, invites }: PageProps<{ invites: readonly Invite[] }>) {
  return (
    <SmallPage state={state} title="Invitations" notices={NOTICES}>
      {invites.length === 0 ? (
        <p class="quiet">No invitation waits for your answer.</p>
      ) : (
        <ul class="records">
          {invites.map(({ uid, game, invited_by, created_at }) => (
            <li key={uid}>
              <div>
                <p>
                  {invited_by} invites you to help run <strong dir="auto">{game.name}</strong>.
                </p>
                <p class="quiet small">
                  <Day at={created_at} />
                </p>
              </div>
              <PostForm action={`/dashboard/invites/${uid}`} class="row">
                <Submit name="decision" value="accept">
                  Accept<span class="visually-hidden"> the invitation to {game.name}</span>
                </Submit>
                <Submit look="second" name="decision" value="decline">
                  Decline<span class="visually-hidden"> the invitation to {game.name}</span>
                </Submit>
              </PostForm>
            </li>
          ))}
        </ul>
      )}
    </SmallPage>
  )
}
