import { Check, PostForm, Submit, TextField } from '../kit/form.tsx'
import { formOf, type PageState } from '../kit/pages.ts'
import { PasskeyButton, SmallPage } from './sign-in-page.tsx'

interface StepProps {
  state: PageState
  next: string
  passkeys: boolean
}

/** Asks for the second factor after the password. */
export function SecondStepPage({ state, next, passkeys }: StepProps) {
  const form = formOf(state, 'second-step')
  return (
    <SmallPage state={state} title="Second step" scripts={passkeys ? ['passkey'] : []}>
      <PostForm action="/second-step">
        <input type="hidden" name="next" value={next} />
        <TextField
          {...{ form, name: 'code', label: 'Code' }}
          hint="Of your authenticator app, or one of your recovery codes."
          autoComplete="one-time-code"
          required
        />
        <Check {...{ name: 'trust', label: 'Trust this browser for 30 days' }} checked={false} />
        <Submit>Sign in</Submit>
      </PostForm>
      {passkeys ? <PasskeyButton next={next} label="Use a passkey instead" /> : null}
      <p class="small">
        No device and no codes? Ask the operators of this store to reset your sign-in factors, or{' '}
        <a href="/sign-in">sign in again</a>.
      </p>
    </SmallPage>
  )
}

interface ConfirmProps extends StepProps {
  /** The ways in which the account can confirm itself. */
  password: boolean
  app: boolean
  providers: readonly { id: string; name: string }[]
}

/** Shown before an act that needs a recent confirmation. */
export function ConfirmItIsYouPage({ state, next, passkeys, password, app, providers }: ConfirmProps) {
  const form = formOf(state, 'confirm')
  return (
    <SmallPage state={state} title="Confirm it is you" scripts={passkeys ? ['passkey'] : []}>
      <p>What you are about to do needs a fresh proof. It counts for 15 minutes in this browser.</p>
      {password || app ? (
        <PostForm action="/confirm">
          <input type="hidden" name="next" value={next} />
          {password ? (
            <TextField
              {...{ form, name: 'password', label: 'Password', type: 'password' }}
              autoComplete="current-password"
              required={!app}
            />
          ) : null}
          {app ? (
            <TextField
              {...{ form, name: 'code', label: password ? 'Or a code of your app' : 'Code of your app' }}
              autoComplete="one-time-code"
              required={!password}
            />
          ) : null}
          <Submit>Confirm</Submit>
        </PostForm>
      ) : null}
      {passkeys ? <PasskeyButton next={next} label="Confirm with a passkey" /> : null}
      {providers.map(({ id, name }) => (
        <a
          key={id}
          class="button second"
          href={`/sign-in/with/${id}?next=${encodeURIComponent(next)}`}
          rel="nofollow"
        >
          Sign in again with {name}
        </a>
      ))}
    </SmallPage>
  )
}
