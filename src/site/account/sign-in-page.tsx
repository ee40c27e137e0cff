import type { ComponentChildren } from 'preact'

import type { StorePage } from '../../domain/store-settings.ts'
import {
  INVITATION_NEEDED,
  PASSWORD_MAX,
  PASSWORD_MIN,
  SIGN_UP_CLOSED,
} from '../../features/accounts/sign-in/auth-settings.ts'
import { NAME_MAX } from '../../lib/text/names.ts'
import { ContactLine } from '../components/brand.tsx'
import { DoneNotice, Notice, type Notices } from '../components/notice.tsx'
import type { FormState } from '../kit/form-state.ts'
import { FaultSummary, PostForm, Submit, TextField } from '../kit/form.tsx'
import { Layout, type PageFacts } from '../kit/layout.tsx'
import { leadsToGet } from '../kit/next.ts'
import { formOf, type PageState } from '../kit/pages.ts'

const INVITE_MAX = 40
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
interface SignInWays {
  providers: readonly { id: string; name: string }[]
  password: boolean
  passkeys: boolean
}

export function SignInPage({ state, next, ways }: FormPageProps & { ways: SignInWays }) {
  return (
    <SmallPage state={state} title="Sign in" notices={NOTICES} scripts={ways.passkeys ? ['passkey'] : []}>
      <ProviderFault error={state.query.error} />
      <GetNote next={next} />
      {ways.password ? <PasswordForm {...{ state, next }} /> : null}
      {ways.passkeys ? <PasskeyButton next={next} label="Sign in with a passkey" /> : null}
      <ProviderLinks {...{ next, ways }} />
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

/** Tells guests who pressed Get that they need an account first. */
function GetNote({ next }: { next: string }) {
  return leadsToGet(next) ? <p>One step to go: the game is then in your library.</p> : null
}

function ProviderLinks({ next, ways }: { next: string; ways: SignInWays }) {
  return (
    <>
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
    </>
  )
}

/** Hidden until a script finds that the browser supports passkeys. */
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

type SignUpProps = FormPageProps & { invite: string; ways: SignInWays }

export function SignUpPage({ state, next, invite, ways }: SignUpProps) {
  const { sign_up, contact } = state.visit.store.settings
  // With an invitation of an operator people can sign up even if sign-up is closed.
  const isClosed = sign_up === 'closed' && invite === ''
  return (
    <SmallPage state={state} title="Create an account">
      {isClosed ? null : <GetNote next={next} />}
      {isClosed ? (
        <>
          <p>This store adds accounts itself. Ask the people who run it for one.</p>
          <ContactLine contact={contact} />
        </>
      ) : (
        <SignUpForm {...{ state, next, invite, ways }} />
      )}
      <p class="small">
        You have one? <a href={withNext('/sign-in', next)}>Sign in</a>
      </p>
    </SmallPage>
  )
}

function SignUpForm({ state, next, invite, ways }: SignUpProps) {
  const form = formOf(state, 'sign-up')
  const { sign_up } = state.visit.store.settings
  return (
    <PostForm action="/sign-up">
      <input type="hidden" name="next" value={next} />
      {sign_up === 'open' ? null : (
        <TextField
          {...{ form, name: 'invite', label: 'Invitation code', value: invite, maxLength: INVITE_MAX }}
          hint="The people who run this store give it to you."
          required
        />
      )}
      <TextField
        {...{ form, name: 'name', label: 'Name', maxLength: NAME_MAX }}
        autoComplete="name"
        hint="Shown on your pages and reviews. Your username is made from it; you can change both later."
        required
      />
      <NewCredentials form={form} />
      <Agreement pages={state.visit.store.settings.pages} />
      <Submit>Create account</Submit>
      {sign_up === 'open' || invite === '' ? null : <ProviderLinks {...{ next, ways }} />}
    </PostForm>
  )
}

/** The fields for e-mail and password of a new account. */
export function NewCredentials({ form }: { form: FormState }) {
  return (
    <>
      <TextField form={form} name="email" label="E-mail" type="email" autoComplete="username" required />
      <TextField
        {...{ form, name: 'password', label: 'Password', type: 'password', maxLength: PASSWORD_MAX }}
        autoComplete="new-password"
        hint={PASSWORD_HINT}
        required
      />
    </>
  )
}

/** Names the terms and the privacy page of the store, where it has them. */
function Agreement({ pages }: { pages: readonly StorePage[] }) {
  const named = ['terms', 'privacy'].flatMap((slug) => pages.find((page) => page.slug === slug) ?? [])
  if (named.length === 0) return null
  return (
    <p class="small">
      By creating an account you agree to{' '}
      {named.map(({ slug, title }, index) => (
        <>
          {index > 0 ? ' and ' : ''}
          <a href={`/pages/${slug}`}>{title}</a>
        </>
      ))}
      .
    </p>
  )
}

function withNext(path: string, next: string): string {
  return next === '/' ? path : `${path}?next=${encodeURIComponent(next)}`
}

const INVITATION =
  'You have no account here yet, and this store does not let everyone create one. Open the link of your invitation, then try again.'

/** Messages by the error code with which the account library redirects back. */
const FAULTS: Readonly<Record<string, string>> = {
  account_not_linked:
    'There is an account with this e-mail address. Sign in to it as usual; then connect the other sign-in under “Sign-in security” in your account.',
  email_not_found:
    'The other side told no e-mail address of you, or not one valid address. Allow or correct it there, then try again.',
  email_does_not_match:
    'The address that the other side has of you is not the one of this account. Change one of them, then connect again.',
  unable_to_link_account:
    'The other side has not confirmed your e-mail address. Confirm it there, then connect again.',
  account_already_linked_to_different_user:
    'It signs in to another account of this store. Disconnect it there first.',
  [INVITATION_NEEDED]: INVITATION,
  [SIGN_UP_CLOSED]: INVITATION,
  access_denied: 'The other side did not let you in, or you said no there.',
  invalid_code:
    'The other side did not answer in time, or not as it should. Try again later, or sign in otherwise.',
  unable_to_get_user_info:
    'The other side did not say who you are in time, or not as it should. Try again later, or sign in otherwise.',
}
const FAILED = 'The sign-in by others did not work. Try again, or sign in otherwise.'

/** Why a provider sent the browser back without success. */
export function ProviderFault({ error }: { error: string | undefined }) {
  if (error === undefined) return null
  return <Notice tone="bad">{Object.hasOwn(FAULTS, error) ? FAULTS[error] : FAILED}</Notice>
}
