import type { License } from '../../../features/community/library/model.ts'
import { type Admin, ADMINS_MAX } from '../../../features/listings/team/model.ts'
import type { Paged } from '../../../lib/paging.ts'
import { Pager } from '../../components/lists.tsx'
import { Person } from '../../components/person.tsx'
import { FaultSummary, FieldGroup, PostForm, Submit, TextField } from '../../kit/form.tsx'
import { Badge, Day } from '../../kit/labels.tsx'
import { formOf } from '../../kit/pages.ts'
import { StudioPage, type TabProps } from '../frame/studio-frame.tsx'

const NOTICES: Readonly<Record<string, string>> = {
  invited: 'The invitation is sent. It shows as invited until they accept.',
  removed: 'They are no longer on the team.',
  'removed-with-keys':
    'They are no longer on the team. Deploy keys and trusted publishers that they added ended with that; a mail to the owner names them and what is left to renew.',
  granted: 'They find it in their library, and own it once they accept it.',
}

const SOURCES: Readonly<Record<License['source'], string>> = {
  claimed: 'claimed',
  granted: 'given by you',
  bought: 'bought',
  key: 'with a key',
}

interface TeamProps extends TabProps {
  admins: readonly Admin[]
  licenses: Paged<License>
}

export function TeamPage({ project, state, admins, licenses }: TeamProps) {
  const { visit, refused } = state
  const isOwner = project.listing.role === 'owner'
  return (
    <StudioPage
      {...{ visit, project }}
      tab="team"
      lead="The team edits the page, uploads builds and moves channels. Only the owner invites, deletes the project and makes it private."
      notices={NOTICES}
    >
      {refused === undefined ? null : <FaultSummary form={refused.form} scope={refused.name} />}
      <Members {...{ project, admins }} />
      {isOwner ? (
        <UserForm
          {...{ project, state }}
          name="invite"
          title="Invite somebody"
          hint={`They get a mail with a link to accept. Up to ${ADMINS_MAX} people.`}
          button="Invite"
        />
      ) : (
        <p class="quiet">Only the owner can invite and remove people.</p>
      )}
      <FieldGroup
        id="licenses"
        title="Players who own it"
        hint="Through the store, with a key, or because you gave it to them."
      >
        {licenses.total === 0 ? (
          <p class="quiet">Nobody yet.</p>
        ) : (
          <ul class="records">
            {licenses.items.map(({ source, since, pending, ...person }) => (
              <li key={person.username}>
                <Person person={person} withUsername />
                <span class="quiet small">
                  {SOURCES[source]}, <Day at={since} />
                  {pending ? ', not accepted yet' : ''}
                </span>
              </li>
            ))}
          </ul>
        )}
        <Pager {...licenses} url={visit.url} />
      </FieldGroup>
      {isOwner ? (
        <UserForm
          {...{ project, state }}
          name="grant"
          title="Give it to somebody"
          hint="Puts it into their library, also while it is paid or not public."
          button="Give a licence"
        />
      ) : null}
    </StudioPage>
  )
}

function Members({ project, admins }: Pick<TeamProps, 'project' | 'admins'>) {
  const { listing, user } = project
  return (
    <FieldGroup id="members" title="Members">
      <ul class="records">
        <li>
          <Person person={listing.owner} withUsername />
          <Badge tone="good">Owner</Badge>
        </li>
        {admins.map(({ user_uid, state, invited_at, accepted_at, ...person }) => (
          <li key={user_uid}>
            <div>
              <p>
                <Person person={person} withUsername />
              </p>
              <p class="quiet small">
                {accepted_at === null ? 'invited' : 'since'} <Day at={accepted_at ?? invited_at} />
              </p>
            </div>
            <div class="row">
              <Badge>{state === 'invited' ? 'Invited' : 'Admin'}</Badge>
              {listing.role === 'owner' || user_uid === user.userUid ? (
                <PostForm action={`/studio/${listing.vanity_name}/team/${user_uid}/remove`} class="row">
                  <Submit look="plain">
                    {user_uid === user.userUid ? 'Leave the team' : `Remove ${person.username}`}
                  </Submit>
                </PostForm>
              ) : null}
            </div>
          </li>
        ))}
      </ul>
    </FieldGroup>
  )
}

interface UserFormProps extends TabProps {
  name: 'invite' | 'grant'
  title: string
  hint: string
  button: string
}

function UserForm({ project, state, name, title, hint, button }: UserFormProps) {
  return (
    <FieldGroup id={name} title={title}>
      <PostForm action={`/studio/${project.listing.vanity_name}/team/${name}`}>
        <TextField form={formOf(state, name)} scope={name} name="username" label="Username" hint={hint} />
        <Submit>{button}</Submit>
      </PostForm>
    </FieldGroup>
  )
}
