import type { Factors, NewAuthenticator } from '../../features/accounts/factors/factor-model.ts'
import { TextField } from '../kit/controls.tsx'
import type { FormState } from '../kit/form-state.ts'
import { PostForm, Submit } from '../kit/form.tsx'
import { Browsers, Passkeys, Providers } from './sign-in-records.tsx'

/** Shown only once, on this page. */
export interface NewSecrets {
  app?: NewAuthenticator
  codes?: readonly string[]
}

interface SecurityProps {
  factors: Factors
  form: FormState
  secrets: NewSecrets
  /** Whether somebody was sent here to set a factor up. */
  isNeeded: boolean
}

export function Security({ factors, form, secrets, isNeeded }: SecurityProps) {
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
      <App {...{ factors, form }} app={secrets.app} />
      <Codes factors={factors} codes={secrets.codes} />
      <Browsers factors={factors} />
      <Providers factors={factors} />
    </>
  )
}

interface AppProps {
  factors: Factors
  form: FormState
  app: NewAuthenticator | undefined
}

function App({ factors, form, app }: AppProps) {
  return (
    <div class="stack">
      <h3>Authenticator app</h3>
      {factors.authenticator_app ? (
        <PostForm action="/account/authenticator/remove">
          <p>Codes of your app are asked for after the password.</p>
          <Submit look="second">Remove authenticator app</Submit>
        </PostForm>
      ) : app ? (
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
      ) : (
        <PostForm action="/account/authenticator">
          <Submit look="second">Add authenticator app</Submit>
        </PostForm>
      )}
    </div>
  )
}

function Codes({ factors, codes }: { factors: Factors; codes: readonly string[] | undefined }) {
  if (!factors.second_factor) return null
  const left = factors.recovery_codes_left
  return (
    <div class="stack">
      <h3>Recovery codes</h3>
      {codes && codes.length > 0 ? (
        <div class="notice good" role="status">
          <div>
            <p>Keep these codes where you find them without your devices. They are not shown again.</p>
            <ul class="recovery-codes">
              {codes.map((code) => (
                <li key={code}>
                  <code class="secret">{code}</code>
                </li>
              ))}
            </ul>
          </div>
        </div>
      ) : (
        <p class="quiet">
          {left === 0 ? 'You have none.' : `${left} left.`} Each signs in once when your device is gone.
        </p>
      )}
      <PostForm action="/account/recovery-codes">
        <Submit look="second">Make new codes</Submit>
      </PostForm>
    </div>
  )
}
