import type { Factors, NewAuthenticator } from '../../features/accounts/factors/factor-model.ts'
import { LABEL_MAX } from '../../features/accounts/model.ts'
import { Day } from '../kit/dates.tsx'
import { TextField } from '../kit/fields.tsx'
import type { FormState } from '../kit/form-state.ts'
import { PostForm } from '../kit/form.tsx'

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
              <div class="record-acts">
                <details>
                  <summary>
                    Rename<span class="visually-hidden"> the passkey {name}</span>
                  </summary>
                  <PostForm action={`/account/passkeys/${uid}/rename`}>
                    <label for={`passkey-${uid}`}>New name</label>
                    <input
                      {...{ id: `passkey-${uid}`, name: 'name', type: 'text', value: name }}
                      maxLength={LABEL_MAX}
                      autoComplete="off"
                      required
                    />
                    <button class="button second" type="submit">
                      Save name
                    </button>
                  </PostForm>
                </details>
                <PostForm action={`/account/passkeys/${uid}/remove`} class="">
                  <button class="button second" type="submit">
                    Remove<span class="visually-hidden"> the passkey {name}</span>
                  </button>
                </PostForm>
              </div>
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
          <button class="button second" type="submit">
            Remove authenticator app
          </button>
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
          <button class="button" type="submit">
            Confirm the app
          </button>
        </PostForm>
      ) : (
        <PostForm action="/account/authenticator">
          <button class="button second" type="submit">
            Add authenticator app
          </button>
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
        <button class="button second" type="submit">
          Make new codes
        </button>
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
              <button class="button second" type="submit">
                Forget<span class="visually-hidden"> {browser}</span>
              </button>
            </PostForm>
          </li>
        ))}
      </ul>
    </div>
  )
}

function Providers({ factors: { providers } }: { factors: Factors }) {
  if (providers.length === 0) return null
  return (
    <div class="stack">
      <h3>Sign-in by others</h3>
      <ul class="records">
        {providers.map(({ id, name, connected_at }) => (
          <li key={id}>
            <div>
              <p>
                <strong>{name}</strong>
              </p>
              <p class="quiet small">
                {connected_at === null ? (
                  'Not connected'
                ) : (
                  <>
                    Connected <Day at={connected_at} />
                  </>
                )}
              </p>
            </div>
            {connected_at !== null ? (
              <PostForm action={`/account/connections/${id}/remove`} class="">
                <button class="button second" type="submit">
                  Disconnect<span class="visually-hidden"> {name}</span>
                </button>
              </PostForm>
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
