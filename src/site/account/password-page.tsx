import { PASSWORD_MAX } from '../../features/accounts/sign-in/auth-settings.ts'
import type { Visit } from '../../http/visit.ts'
import { TextField } from '../kit/controls.tsx'
import { PostForm, Submit } from '../kit/form.tsx'
import { formOf, type PageState } from '../kit/pages.ts'
import { PASSWORD_HINT, SmallPage } from './sign-in-page.tsx'

const SENT = 'If there is an account with this address, a link to set a new password is on its way.'

export function ForgotPage({ state }: { state: PageState }) {
  const form = formOf(state, 'forgot')
  return (
    <SmallPage state={state} title="Forgot your password?" notices={{ sent: SENT }}>
      <PostForm action="/forgot">
        <p class="quiet">We send you a link to set a new one. It is valid for one hour.</p>
        <TextField form={form} name="email" label="E-mail" type="email" autoComplete="username" required />
        <Submit>Send link</Submit>
      </PostForm>
    </SmallPage>
  )
}

export function ResetPage({ state, token }: { state: PageState; token: string }) {
  const form = formOf(state, 'reset')
  return (
    <SmallPage state={state} title="Set a new password">
      <PostForm action="/reset">
        <p class="quiet">Every browser is signed out, and player keys and connected programs stop working.</p>
        <input type="hidden" name="token" value={token} />
        <TextField
          {...{ form, name: 'newPassword', label: 'New password', type: 'password', maxLength: PASSWORD_MAX }}
          autoComplete="new-password"
          hint={PASSWORD_HINT}
          required
        />
        <Submit>Set password</Submit>
      </PostForm>
    </SmallPage>
  )
}

export function BrokenLinkPage({ visit }: { visit: Visit }) {
  return (
    <SmallPage state={{ visit }} title="This link no longer works">
      <p>It was used before, or it is older than one hour.</p>
      <a class="button" href="/forgot">
        Ask for a new link
      </a>
    </SmallPage>
  )
}
