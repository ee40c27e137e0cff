import type { Invite } from '../../features/listings/team/model.ts'
import { Day } from '../kit/dates.tsx'
import { PostForm, Submit } from '../kit/form.tsx'
import { type PageState } from '../kit/pages.ts'
import { SmallPage } from './sign-in-page.tsx'

const NOTICES = {
  accept: 'You are on the team now.',
  decline: 'The invitation is declined.',
}

interface InvitesPageProps {
  state: PageState
  invites: readonly Invite[]
}

export function InvitesPage({ state, invites }: InvitesPageProps) {
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
