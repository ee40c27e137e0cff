import type { Visit } from '../../http/visit.ts'
import { Notice } from '../components/notice.tsx'
import type { FormState } from '../kit/form-state.ts'
import { FaultSummary, Field, PostForm } from '../kit/form.tsx'
import { SmallPage } from './sign-in-page.tsx'

interface FormPageProps {
  visit: Visit
  form: FormState
}

export function ForgotPage({ visit, form, isSent }: FormPageProps & { isSent: boolean }) {
  return (
    <SmallPage visit={visit} title="Forgot your password?">
      {isSent ? (
        <Notice tone="good">
          If there is an account with this address, a link to set a new password is on its way.
        </Notice>
      ) : null}
      <FaultSummary form={form} />
      <PostForm action="/forgot">
        <p class="quiet">We send you a link to set a new one. It is valid for one hour.</p>
        <Field form={form} name="email" label="E-mail" type="email" autoComplete="username" required />
        <button class="button" type="submit">
          Send link
        </button>
      </PostForm>
    </SmallPage>
  )
}

export function ResetPage({ visit, form, token }: FormPageProps & { token: string }) {
  return (
    <SmallPage visit={visit} title="Set a new password">
      <FaultSummary form={form} />
      <PostForm action="/reset">
        <p class="quiet">Every browser is signed out, and player keys and connected programs stop working.</p>
        <input type="hidden" name="token" value={token} />
        <Field
          {...{ form, name: 'newPassword', label: 'New password', type: 'password', maxLength: 256 }}
          autoComplete="new-password"
          hint="At least 10 characters."
          required
        />
        <button class="button" type="submit">
          Set password
        </button>
      </PostForm>
    </SmallPage>
  )
}

export function BrokenLinkPage({ visit }: { visit: Visit }) {
  return (
    <SmallPage visit={visit} title="This link no longer works">
      <p>It was used before, or it is older than one hour.</p>
      <a class="button" href="/forgot">
        Ask for a new link
      </a>
    </SmallPage>
  )
}
