import { type Factors, LABEL_MAX, type NewAuthenticator } from '../../features/accounts/model.ts'
import type { Visit } from '../../http/visit.ts'
import { SecretPage } from '../components/secret-page.tsx'
import { EMPTY_FORM } from '../kit/form-state.ts'
import { FaultSummary, PostForm, Submit, TextField } from '../kit/form.tsx'
import { Day } from '../kit/labels.tsx'
import { Layout } from '../kit/layout.tsx'
import { formOf, type PageState } from '../kit/pages.ts'
import { RecordForm, Used } from './account-access.tsx'

interface SecurityProps {
  factors: Factors
  /** Whether the person was redirected here because an act needs a second factor. */
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

/** Shows the key of a new authenticator app, and asks for its first code. */
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
        <a href="/account/security#security">Cancel</a>
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
      back="/account/security#security"
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
                <Used since={created_at} sinceLabel="Added" used={last_used_at} />
              </div>
              <div class="record-acts">
                <details>
                  <summary>
                    Rename<span class="visually-hidden"> the passkey {name}</span>
                  </summary>
                  <PostForm action={`/account/passkeys/${uid}/rename`}>
                    <TextField
                      {...{ form: EMPTY_FORM, name: 'name', label: 'New name', value: name, scope: uid }}
                      maxLength={LABEL_MAX}
                      required
                    />
                    <Submit look="second">Save name</Submit>
                  </PostForm>
                </details>
                <RecordForm
                  action={`/account/passkeys/${uid}/remove`}
                  word="Remove"
                  name={`the passkey ${name}`}
                />
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
      <TextField
        {...{ form: EMPTY_FORM, name: 'passkey', label: 'Name of the new passkey', maxLength: LABEL_MAX }}
        scope="security"
      />
      <button class="button second" type="button">
        Add passkey
      </button>
      <p class="notice bad" role="alert" hidden />
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
            <RecordForm action={`/account/trusted-browsers/${uid}/forget`} word="Forget" name={browser} />
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
              <RecordForm action={`/account/connections/${id}/remove`} word="Disconnect" name={name} />
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
