import type { Factors, NewAuthenticator } from '../../features/accounts/factors/factor-model.ts'
import type { Visit } from '../../http/visit.ts'
import { SecretPage } from '../components/secret-page.tsx'
import { TextField } from '../kit/controls.tsx'
import { FaultSummary, PostForm, Submit } from '../kit/form.tsx'
import { Layout } from '../kit/layout.tsx'
import { formOf, type PageState } from '../kit/pages.ts'
import { Browsers, Passkeys, Providers } from './sign-in-records.tsx'

interface SecurityProps {
  factors: Factors
  /** Whether somebody was sent here to set a factor up. */
  isNeeded: boolean
}

export function Security({ factors, isNeeded }: SecurityProps) {
  const isMissing = factors.required && !factors.second_factor
  return (
    <>
      {isMissing || isNeeded ? (
        <p class="notice bad" role={isNeeded ? 'alert' : undefined}>
          This store asks you for a second factor before you publish or run it. Add a passkey or an
          authenticator app.
        </p>
      ) : null}
      <Passkeys factors={factors} />
      <App factors={factors} />
      <Codes factors={factors} />
      <Browsers factors={factors} />
      <Providers factors={factors} />
    </>
  )
}

function App({ factors }: { factors: Factors }) {
  return (
    <div class="stack">
      <h3>Authenticator app</h3>
      {factors.authenticator_app ? (
        <PostForm action="/account/authenticator/remove">
          <p>Codes of your app are asked for after the password.</p>
          <Submit look="second">Remove authenticator app</Submit>
        </PostForm>
      ) : (
        <PostForm action="/account/authenticator">
          <Submit look="second">Add authenticator app</Submit>
        </PostForm>
      )}
    </div>
  )
}

function Codes({ factors }: { factors: Factors }) {
  if (!factors.second_factor) return null
  const left = factors.recovery_codes_left
  return (
    <div class="stack">
      <h3>Recovery codes</h3>
      <p class="quiet">
        {left === 0 ? 'You have none.' : `${left} left.`} Each signs in once when your device is gone.
      </p>
      <PostForm action="/account/recovery-codes">
        <Submit look="second">Make new codes</Submit>
      </PostForm>
    </div>
  )
}

/** The first half of adding an app: it is confirmed by a code. */
export function NewAppPage({ state, app }: { state: PageState; app: NewAuthenticator }) {
  const form = formOf(state, 'security')
  return (
    <Layout visit={state.visit} title="Add authenticator app">
      <div class="panel small-page">
        <h1>Add authenticator app</h1>
        <FaultSummary {...{ form, scope: 'security' }} />
        <PostForm action="/account/authenticator/confirm">
          <p>Scan this picture with the app, or enter the key by hand. Then enter the code that it shows.</p>
          <div
            class="qr-code"
            role="img"
            aria-label="QR code for the app"
            dangerouslySetInnerHTML={{ __html: app.qr_svg }}
          />
          <p>
            <code class="secret">{app.secret}</code>
          </p>
          <TextField
            {...{ form, name: 'code', label: 'Code', scope: 'security' }}
            autoComplete="one-time-code"
            inputMode="numeric"
            required
          />
          <Submit>Confirm the app</Submit>
        </PostForm>
        <a href="/account#security">Cancel</a>
      </div>
    </Layout>
  )
}

export function NewCodesPage({ visit, codes }: { visit: Visit; codes: readonly string[] }) {
  return (
    <SecretPage
      visit={visit}
      title="Recovery codes"
      warning="Keep these codes where you find them without your devices. They are not shown again."
      back="/account#security"
    >
      <ul class="recovery-codes">
        {codes.map((code) => (
          <li key={code}>
            <code class="secret">{code}</code>
          </li>
        ))}
      </ul>
      <p class="quiet small">Each signs in once when your device is gone. Older codes no longer work.</p>
    </SecretPage>
  )
}
