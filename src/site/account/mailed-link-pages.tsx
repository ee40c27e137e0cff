import type { WebsiteUser } from '../../domain/actor.ts'
import { PASSWORD_MAX } from '../../features/accounts/sign-in/auth-settings.ts'
import type { Visit } from '../../http/visit.ts'
import { Notice } from '../components/notice.tsx'
import type { Refused } from '../kit/form-state.ts'
import { PostForm, Submit, TextField } from '../kit/form.tsx'
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

interface ConfirmPageProps {
  visit: Visit
  user: WebsiteUser
  /** The address in question: the account's own, or the one it moves to. */
  email: string
  token: string
}

/** The page that a mailed link opens. Only its button confirms, because mail programs open links too. */
export function ConfirmPage({ visit, user, email, token }: ConfirmPageProps) {
  const moves = email !== user.email
  return (
    <SmallPage state={{ visit }} title={moves ? 'Change your e-mail address' : 'Confirm your e-mail address'}>
      <dl class="pairs">
        <dt>Account</dt>
        <dd>{user.username}</dd>
        <dt>{moves ? 'New address' : 'Address'}</dt>
        <dd>{email}</dd>
        {moves ? (
          <>
            <dt>Present address</dt>
            <dd>{user.email}</dd>
          </>
        ) : null}
      </dl>
      <PostForm action="/verify">
        <input type="hidden" name="token" value={token} />
        <Submit>{moves ? 'Change address' : 'Confirm address'}</Submit>
      </PostForm>
    </SmallPage>
  )
}

type Verification = 'confirmed' | 'sent' | 'failed' | 'taken' | 'asked'

const TITLES: Readonly<Record<Verification, string>> = {
  confirmed: 'Your e-mail address is confirmed',
  sent: 'Look into your mails',
  failed: 'This link does not work',
  taken: 'This address has an account',
  asked: 'Confirm your e-mail address',
}

interface VerifyPageProps {
  visit: Visit
  refused?: Refused | undefined
  state: Verification
}

/** The result of a mailed link, or a form to request one. */
export function VerifyPage({ visit, refused, state }: VerifyPageProps) {
  const { actor } = visit
  return (
    <SmallPage state={{ visit, refused }} title={TITLES[state]}>
      {state === 'sent' ? (
        <Notice tone="good">
          A new link is on its way, unless we sent you several within the last hour. The newest one counts and
          is valid for one hour.
        </Notice>
      ) : null}
      {state === 'failed' ? <DeadLink visit={visit} /> : null}
      {state === 'taken' ? (
        <p>Somebody made an account with it in the meantime. Choose another address in your account.</p>
      ) : null}
      {state === 'confirmed' || state === 'taken' ? (
        <p class="row">
          <a
            class="button"
            href={actor.kind === 'user' ? '/account/security' : '/sign-in?next=/account/security'}
          >
            To your account
          </a>
          <a class="button second" href="/search">
            Browse
          </a>
        </p>
      ) : (
        <Resend visit={visit} />
      )}
    </SmallPage>
  )
}

function DeadLink({ visit: { actor } }: { visit: Visit }) {
  return (
    <p>
      It was used or replaced by a newer one, is older than one hour, ended with a change of the password, or
      belongs to another account
      {actor.kind === 'user' ? ` than ${actor.username}, which you are signed in to` : ''}.
    </p>
  )
}

function Resend({ visit: { actor } }: { visit: Visit }) {
  if (actor.kind !== 'user') {
    return (
      <p>
        <a href="/sign-in?next=/verify">Sign in</a> to get a new link.
      </p>
    )
  }
  if (actor.emailVerified) {
    return (
      <p>
        {actor.email} is confirmed already. To use another address, ask for its link in{' '}
        <a href="/account/security#email">your account</a>.
      </p>
    )
  }
  return (
    <PostForm action="/verify">
      <p class="quiet">
        We sent a link to {actor.email} when you signed up. Uploading builds and publishing pages need a
        confirmed address.
      </p>
      <Submit>Send link again</Submit>
    </PostForm>
  )
}
