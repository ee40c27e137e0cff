import { COUNT_MAX, type Invitation, USES_MAX } from '../../features/operate/accounts/model.ts'
import type { Visit } from '../../http/visit.ts'
import type { Paged } from '../../lib/paging.ts'
import { Pager } from '../components/lists.tsx'
import { SecretPage } from '../components/secret-page.tsx'
import { FieldGroup, PostForm, Submit, TextField } from '../kit/form.tsx'
import { Badge, Moment } from '../kit/labels.tsx'
import { formOf, type PageProps, type PageState } from '../kit/pages.ts'
import { OperateFrame } from './operate-frame.tsx'

const NOTICES = {
  revoked: 'The invitation is deleted and no longer lets anyone in.',
  added: 'The person has a mail with a link to create the account.',
}

export function InvitesPage({ state, invites }: PageProps<{ invites: Paged<Invitation> }>) {
  const { visit } = state
  return (
    <OperateFrame state={state} tab="/operate/invites" notices={NOTICES}>
      {visit.store.settings.sign_up === 'open' ? (
        <p class="quiet">
          Everyone can create an account now. Invitations count once you change that policy.
        </p>
      ) : null}
      <div class="settings-pair">
        <MakeForm state={state} />
        <AddForm state={state} />
      </div>
      {invites.items.length === 0 ? null : (
        <ul class="records panel">
          {invites.items.map((invite) => (
            <Invite key={invite.uid} invite={invite} />
          ))}
        </ul>
      )}
      <Pager {...invites} url={visit.url} />
    </OperateFrame>
  )
}

interface NewInvitesProps {
  visit: Visit
  codes: readonly string[]
  baseUrl: string
}

export function NewInvitesPage({ visit, codes, baseUrl }: NewInvitesProps) {
  return (
    <SecretPage
      visit={visit}
      title="New invitations"
      warning="Copy them now: they are not shown again."
      back="/operate/invites"
    >
      <ul class="invite-codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{`${baseUrl}/sign-up?invite=${code}`}</code>
          </li>
        ))}
      </ul>
    </SecretPage>
  )
}

function MakeForm({ state }: { state: PageState }) {
  const form = formOf(state, 'make')
  return (
    <FieldGroup id="make" title="Make invitations" hint="For whoever you give the link to.">
      <PostForm action="/operate/invites">
        <TextField
          {...{ form, name: 'count', label: 'How many', value: '1', inputMode: 'numeric' }}
          hint={`Up to ${COUNT_MAX}.`}
        />
        <TextField
          {...{ form, name: 'uses', label: 'Accounts per invitation', value: '1', inputMode: 'numeric' }}
          hint={`Up to ${USES_MAX}.`}
        />
        <TextField
          {...{ form, name: 'expires_at', label: 'Valid until (UTC)', type: 'datetime-local' }}
          hint="Empty: until you delete them."
        />
        <Submit>Make invitations</Submit>
      </PostForm>
    </FieldGroup>
  )
}

function AddForm({ state }: { state: PageState }) {
  return (
    <FieldGroup
      id="add"
      title="Add an account"
      hint="Mails a link for this address only, also where nobody else can sign up. The person chooses name and password."
    >
      <PostForm action="/operate/invites/account">
        <TextField
          {...{ form: formOf(state, 'add'), name: 'email', label: 'E-mail', type: 'email' }}
          required
        />
        <Submit>Add account</Submit>
      </PostForm>
    </FieldGroup>
  )
}

function Invite({
  invite: { uid, hint, email, uses, used, expires_at, created_at },
}: {
  invite: Invitation
}) {
  const isOver = expires_at !== null && Date.parse(expires_at) <= Date.now()
  return (
    <li>
      <div>
        <strong>{email ?? `${hint}…`}</strong>{' '}
        {used >= uses ? <Badge tone="good">used</Badge> : isOver ? <Badge tone="warn">expired</Badge> : null}
        <p class="quiet small">
          {used} of {uses} used, made <Moment at={created_at} />
          {expires_at === null ? null : (
            <>
              , valid until <Moment at={expires_at} />
            </>
          )}
        </p>
      </div>
      <PostForm action={`/operate/invites/${uid}/delete`} class="act">
        <Submit look="second">
          Delete<span class="visually-hidden"> the invitation {email ?? hint}</span>
        </Submit>
      </PostForm>
    </li>
  )
}
