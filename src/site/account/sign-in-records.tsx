import type { Factors } from '../../features/accounts/factors/factor-model.ts'
import { LABEL_MAX } from '../../features/accounts/model.ts'
import { TextField } from '../kit/controls.tsx'
import { Day } from '../kit/dates.tsx'
import { EMPTY_FORM } from '../kit/form-state.ts'
import { PostForm, Submit } from '../kit/form.tsx'

export function Passkeys({ factors: { passkeys, passkeys_off } }: { factors: Factors }) {
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
                    <TextField
                      {...{ form: EMPTY_FORM, name: 'name', label: 'New name', value: name, scope: uid }}
                      maxLength={LABEL_MAX}
                      required
                    />
                    <Submit look="second">Save name</Submit>
                  </PostForm>
                </details>
                <PostForm action={`/account/passkeys/${uid}/remove`} class="">
                  <Submit look="second">
                    Remove<span class="visually-hidden"> the passkey {name}</span>
                  </Submit>
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

export function Browsers({ factors: { trusted_browsers: browsers } }: { factors: Factors }) {
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

export function Providers({ factors: { providers } }: { factors: Factors }) {
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
                <Submit look="second">
                  Disconnect<span class="visually-hidden"> {name}</span>
                </Submit>
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
