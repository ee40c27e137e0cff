import type { Me } from '../../features/accounts/model.ts'
import { PASSWORD_MAX } from '../../features/accounts/sign-in/auth-settings.ts'
import type { FormState } from '../kit/form-state.ts'
import { PostForm, Submit, TextField } from '../kit/form.tsx'
import { Badge } from '../kit/labels.tsx'
import { PASSWORD_HINT } from './sign-in-page.tsx'

interface MeFormProps {
  me: Me
  form: FormState
}

interface PasswordProps {
  /** Accounts without a password need a recent confirmation of the session instead. */
  hasPassword: boolean
}

export function Email({ me, form, hasPassword }: MeFormProps & PasswordProps) {
  return (
    <>
      <p class="row">
        <span>{me.email}</span>
        {me.email_verified ? <Badge tone="good">Confirmed</Badge> : <Badge tone="warn">Not confirmed</Badge>}
      </p>
      {me.email_verified ? null : (
        <PostForm action="/verify">
          <Submit look="second">Send confirmation link again</Submit>
        </PostForm>
      )}
      <PostForm action="/account/email">
        <TextField
          {...{ form, name: 'newEmail', label: 'New e-mail address', type: 'email', scope: 'email' }}
          hint="We send a link to it; the address changes when you confirm it there."
          autoComplete="email"
          required
        />
        {hasPassword ? (
          <TextField
            {...{ form, name: 'password', label: 'Your password', type: 'password', scope: 'email' }}
            autoComplete="current-password"
            required
          />
        ) : null}
        <Submit look="second">Change e-mail</Submit>
      </PostForm>
    </>
  )
}

export function Password({ form }: { form: FormState }) {
  return (
    <>
      <p class="quiet">
        Changing it signs out every other browser, deletes your player keys and disconnects all programs.
      </p>
      <PostForm action="/account/password">
        <TextField
          {...{ form, name: 'currentPassword', label: 'Current password', type: 'password' }}
          scope="password"
          autoComplete="current-password"
          required
        />
        <TextField
          {...{ form, name: 'newPassword', label: 'New password', type: 'password', scope: 'password' }}
          hint={PASSWORD_HINT}
          autoComplete="new-password"
          maxLength={PASSWORD_MAX}
          required
        />
        <Submit look="second">Change password</Submit>
      </PostForm>
    </>
  )
}

export function Export() {
  return (
    <>
      <p class="quiet">Everything that is stored about your account, as one JSON file.</p>
      <p>
        <a class="button second" href="/account/export" download>
          Download your data
        </a>
      </p>
    </>
  )
}

export function Deletion({ form, hasPassword }: { form: FormState } & PasswordProps) {
  return (
    <>
      <p>
        Your library, saves, play time, reviews, tag votes, keys and connected programs are deleted with the
        account, at once and for good. Projects you own come first: make each a draft and delete it.
      </p>
      <PostForm action="/account/delete">
        {hasPassword ? (
          <TextField
            {...{ form, name: 'password', label: 'Password to confirm', type: 'password', scope: 'delete' }}
            autoComplete="current-password"
            required
          />
        ) : null}
        <Submit look="danger">Delete account</Submit>
      </PostForm>
    </>
  )
}
