import type { Factors, NewAuthenticator } from '../../features/accounts/factors/factor-model.ts'
import { LABEL_MAX } from '../../features/accounts/model.ts'
import { Badge } from '../components/badge.tsx'
import { TextField } from '../kit/controls.tsx'
import { Day } from '../kit/dates.tsx'
import type { FormState } from '../kit/form-state.ts'
import { PostForm, Submit } from '../kit/form.tsx'

export interface SecurityFacts {
  factors: Factors
  /** Those that the store offers, and since when the account is connected with them. */
  providers: readonly { id: string; name: string; isConnected: boolean }[]
}

/** Shown only once, on this page. */
export interface NewSecrets {
  app?: NewAuthenticator
  codes?: readonly string[]
}

interface SecurityProps extends SecurityFacts {
  form: FormState
  secrets: NewSecrets
  /** Whether somebody was sent here to set a factor up. */
  isNeeded: boolean
}

export function Security({ factors, providers, form, secrets, isNeeded }: SecurityProps) {
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
      {providers.length === 0 ? null : <Providers providers={providers} />}
    </>
  )
}

function Passkeys({ factors: { passkeys, passkeys_off } }: { factors: Factors }) {
  return (
    <div class="stack">
      <h3>Passkeys</h3>
      <p class="quiet">
        Sign in with your device instead of a password. It cannot be stolen by a false page.
      </p>
      {passkeys.length === 0 ? null : (
        <ul class="records">
          {passkeys.map(({ uid, name, created_at, last_used_at }) => (
            <li key={uid}>
              <div>
                <p>
                  <strong>{name}</strong>
                </p>
                <p class="quiet small">
                  Added <Day at={created_at} /> ·{' '}
                  {last_used_at === null ? (
                    'never used'
                  ) : (
                    <>
                      last used <Day at={last_used_at} />
                    </>
                  )}
                </p>
              </div>
              <PostForm action={`/account/passkeys/${uid}/remove`} class="">
                <Submit look="second">
                  Remove<span class="visually-hidden"> the passkey {name}</span>
                </Submit>
              </PostForm>
            </li>
          ))}
        </ul>
      )}
      {passkeys_off === null ? <AddPasskey /> : <p class="notice">{passkeys_off}</p>}
    </div>
  )
}

function AddPasskey() {
  return (
    <div class="form" data-passkey="add" hidden>
      <label for="passkey-name">Name of the new passkey</label>
      <input id="passkey-name" type="text" maxLength={LABEL_MAX} autoComplete="off" />
      <button class="button second" type="button">
        Add passkey
      </button>
      <p class="notice bad" role="alert" hidden />
    </div>
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

function Browsers({ factors: { trusted_browsers: browsers } }: { factors: Factors }) {
  if (browsers.length === 0) return null
  return (
    <div class="stack">
      <h3>Trusted browsers</h3>
      <ul class="records">
        {browsers.map(({ uid, browser, last_used_at, expires_at }) => (
          <li key={uid}>
            <div>
              <p>
                <strong>{browser}</strong>
              </p>
              <p class="quiet small">
                Last used <Day at={last_used_at} /> · trusted until <Day at={expires_at} />
              </p>
            </div>
            <PostForm action={`/account/trusted-browsers/${uid}/forget`} class="">
              <Submit look="second">
                Forget<span class="visually-hidden"> {browser}</span>
              </Submit>
            </PostForm>
          </li>
        ))}
      </ul>
    </div>
  )
}

function Providers({ providers }: Pick<SecurityFacts, 'providers'>) {
  return (
    <div class="stack">
      <h3>Sign-in by others</h3>
      <ul class="records">
        {providers.map(({ id, name, isConnected }) => (
          <li key={id}>
            <strong>{name}</strong>
            {isConnected ? (
              <Badge tone="good">connected</Badge>
            ) : (
              <a class="button second" href={`/account/connect/${id}`} rel="nofollow">
                Connect<span class="visually-hidden"> {name}</span>
              </a>
            )}
          </li>
        ))}
      </ul>
    </div>
  )
}
