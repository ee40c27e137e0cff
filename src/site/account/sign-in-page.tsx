import type { ComponentChildren } from 'preact'

import { PASSWORD_MAX, PASSWORD_MIN } from '../../features/accounts/sign-in/auth-settings.ts'
import { NAME_MAX } from '../../lib/text/names.ts'
import { DoneNotice, type Notices } from '../components/notice.tsx'
import { TextField } from '../kit/controls.tsx'
import { FaultSummary, PostForm, Submit } from '../kit/form.tsx'
import { Layout, type PageFacts } from '../kit/layout.tsx'
import { formOf, type PageState } from '../kit/pages.ts'

export const PASSWORD_HINT = `At least ${PASSWORD_MIN} characters.`

const NOTICES = {
  reset: 'Your new password is set. Sign in with it.',
  deleted: 'Your account was deleted.',
}

interface SmallPageProps {
  state: Pick<PageState, 'visit' | 'refused'>
  title: string
  notices?: Notices
  scripts?: NonNullable<PageFacts['scripts']>
  children: ComponentChildren
}

/** A page with a single small form. */
export function SmallPage({
  state: { visit, refused },
  title,
  notices = {},
  scripts = [],
  children,
}: SmallPageProps) {
  return (
    <Layout visit={visit} title={title} scripts={scripts}>
      <div class="panel small-page">
        <h1>{title}</h1>
        <DoneNotice visit={visit} notices={notices} />
        <FaultSummary form={refused?.form} />
        {children}
      </div>
    </Layout>
  )
}

interface FormPageProps {
  state: PageState
  /** The path to go to afterwards. */
  next: string
}

/** The ways to sign in that this store offers. */
export interface SignInWays {
  providers: readonly { id: string; name: string }[]
  password: boolean
  passkeys: boolean
}

/** What a provider's answer said, by the library's code. */
const PROVIDER_FAULTS: Readonly<Record<string, string>> = {
  account_not_linked:
    'There is an account with this e-mail address. Sign in to it as usual; then connect the other sign-in under “Sign-in security” in your account.',
  email_not_found: 'The other side did not tell your e-mail address. Allow that there, then try again.',
}
const PROVIDER_FAILED = 'The sign-in by others did not work. Try again, or sign in otherwise.'

export function SignInPage({ state, next, ways }: FormPageProps & { ways: SignInWays }) {
  const { error } = state.query
  return (
    <SmallPage state={state} title="Sign in" notices={NOTICES} scripts={ways.passkeys ? ['passkey'] : []}>
      {error === undefined ? null : (
        <p class="notice bad" role="alert">
          {PROVIDER_FAULTS[error] ?? PROVIDER_FAILED}
        </p>
      )}
      {ways.password ? <PasswordForm {...{ state, next }} /> : null}
      {ways.passkeys ? <PasskeyButton next={next} label="Sign in with a passkey" /> : null}
      {ways.providers.map(({ id, name }) => (
        <a
          key={id}
          class="button second"
          href={`/sign-in/with/${id}?next=${encodeURIComponent(next)}`}
          rel="nofollow"
        >
          Continue with {name}
        </a>
      ))}
      {ways.password ? (
        <ul class="links small">
          <li>
            <a href="/forgot">Forgot your password?</a>
          </li>
          <li>
            <a href={withNext('/sign-up', next)}>Create an account</a>
          </li>
        </ul>
      ) : null}
    </SmallPage>
  )
}

/** Works with script only; shown where the browser knows passkeys. */
export function PasskeyButton({ next, label }: { next: string; label: string }) {
  return (
    <div data-passkey="sign-in" data-next={next} hidden>
      <button class="button second" type="button">
        {label}
      </button>
      <p class="notice bad" role="alert" hidden />
    </div>
  )
}

function PasswordForm({ state, next }: FormPageProps) {
  const form = formOf(state, 'sign-in')
  return (
    <PostForm action="/sign-in">
      <input type="hidden" name="next" value={next} />
      <TextField
        form={form}
        name="email"
        label="E-mail"
        type="email"
        autoComplete="username webauthn"
        required
      />
      <TextField
        {...{ form, name: 'password', label: 'Password', type: 'password' }}
        autoComplete="current-password"
        required
      />
      <Submit>Sign in</Submit>
    </PostForm>
  )
}

export function SignUpPage({ state, next }: FormPageProps) {
  const form = formOf(state, 'sign-up')
  return (
    <SmallPage state={state} title="Create an account">
      <PostForm action="/sign-up">
        <input type="hidden" name="next" value={next} />
        <TextField
          {...{ form, name: 'name', label: 'Name', maxLength: NAME_MAX }}
          autoComplete="name"
          hint="Your username is made from it; you can change that later."
          required
        />
        <TextField form={form} name="email" label="E-mail" type="email" autoComplete="username" required />
        <TextField
          {...{ form, name: 'password', label: 'Password', type: 'password', maxLength: PASSWORD_MAX }}
          autoComplete="new-password"
          hint={PASSWORD_HINT}
          required
        />
        <Submit>Create account</Submit>
      </PostForm>
      <p class="small">
        You have one? <a href={withNext('/sign-in', next)}>Sign in</a>
      </p>
    </SmallPage>
  )
}

function withNext(path: string, next: string): string {
  return next === '/' ? path : `${path}?next=${encodeURIComponent(next)}`
}
