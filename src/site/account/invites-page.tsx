import type { Invite } from '../../features/listings/team/model.ts'
import type { Visit } from '../../http/visit.ts'
import { Notice } from '../components/notice.tsx'
import { Day } from '../kit/dates.tsx'
import { PostForm } from '../kit/form.tsx'
import { SmallPage } from './sign-in-page.tsx'

interface InvitesPageProps {
  visit: Visit
  invites: readonly Invite[]
  notice: string | null
}

export function InvitesPage({ visit, invites, notice }: InvitesPageProps) {
  return (
    <SmallPage visit={visit} title="Invitations">
      {notice === null ? null : <Notice tone="good">{notice}</Notice>}
      {invites.length === 0 ? (
        <p class="quiet">No invitation waits for your answer.</p>
      ) : (
        <ul class="records">
          {invites.map(({ uid, game, invited_by, created_at }) => (
            <li key={uid}>
              <div>
                <p>
                  {invited_by} invites you to help run <strong>{game.name}</strong>.
                </p>
                <p class="quiet small">
                  <Day at={created_at} />
                </p>
              </div>
              <PostForm action={`/dashboard/invites/${uid}`} class="row">
                <button class="button" type="submit" name="decision" value="accept">
                  Accept<span class="visually-hidden"> the invitation to {game.name}</span>
                </button>
                <button class="button second" type="submit" name="decision" value="decline">
                  Decline<span class="visually-hidden"> the invitation to {game.name}</span>
                </button>
              </PostForm>
            </li>
          ))}
        </ul>
      )}
    </SmallPage>
  )
}
