import { PLAYER_SCOPES } from '../../domain/actor.ts'
import {
  LABEL_MAX,
  type Me,
  type NewPlayerKey,
  type PlayerKey,
  type Program,
} from '../../features/accounts/model.ts'
import type { SessionFacts } from '../../features/accounts/sessions/session-list.ts'
import type { Visit } from '../../http/visit.ts'
import { SecretPage } from '../components/secret-page.tsx'
import type { FormState } from '../kit/form-state.ts'
import { Check, FieldSet, PostForm, Submit, TextField } from '../kit/form.tsx'
import { Badge, Day } from '../kit/labels.tsx'
import { SCOPE_TEXTS } from './program-pages.tsx'

interface KeysProps {
  keys: readonly PlayerKey[]
  form: FormState
}

/** The private feed of what one follows. */
export function Feed({ since }: { since: string | null }) {
  return (
    <>
      <p>
        A feed reader shows the releases and posts of what you follow. Whoever knows the address of the feed
        can read it.
      </p>
      {since === null ? null : (
        <p class="quiet small">
          Its address was made on <Day at={since} />. A new one ends it.
        </p>
      )}
      <PostForm action="/account/feed">
        <div class="row">
          <Submit name="act" value="make">
            Make feed address
          </Submit>
          {since === null ? null : (
            <Submit look="second" name="act" value="end">
              End feed address
            </Submit>
          )}
        </div>
      </PostForm>
    </>
  )
}

export function NewFeedPage({ visit, url }: { visit: Visit; url: string }) {
  return (
    <SecretPage
      visit={visit}
      title="Address of your feed"
      warning="Copy the address into your feed reader now: it is not shown again."
      back="/account/privacy#feed"
    >
      <p>
        <code class="secret" id="new-feed">
          {url}
        </code>
      </p>
      <button type="button" class="button with-script" data-copies="new-feed">
        Copy the address
      </button>
    </SecretPage>
  )
}

export function NewKeyPage({ visit, newKey }: { visit: Visit; newKey: NewPlayerKey }) {
  return (
    <SecretPage
      visit={visit}
      title="New player key"
      warning={`Copy the key “${newKey.label}” now: it is not shown again.`}
      back="/account/keys#keys"
    >
      <p>
        <code class="secret" id="new-key">
          {newKey.key}
        </code>
      </p>
      <button type="button" class="button with-script" data-copies="new-key">
        Copy the key
      </button>
    </SecretPage>
  )
}

export function Keys({ keys, form }: KeysProps) {
  const picked = form.faults.length > 0 ? form.values.getAll('scopes') : ['player:read']
  return (
    <>
      <p class="quiet">For launchers and scripts that act for you, without your password.</p>
      {keys.length === 0 ? null : (
        <ul class="records">
          {keys.map((key) => (
            <li key={key.uid}>
              <div>
                <p>
                  <strong>{key.label}</strong> <code>…{key.last4}</code>
                </p>
                <Scopes scopes={key.scopes} />
                <Used since={key.created_at} sinceLabel="Made" used={key.last_used_at} />
              </div>
              <RecordForm
                action={`/account/keys/${key.uid}/delete`}
                word="Delete"
                name={`the key ${key.label}`}
              />
            </li>
          ))}
        </ul>
      )}
      <PostForm action="/account/keys">
        <TextField
          {...{ form, name: 'label', label: 'Label', scope: 'keys', maxLength: LABEL_MAX }}
          hint="So that you know it again, such as the name of the device."
          autoComplete="off"
          required
        />
        <FieldSet {...{ form, name: 'scopes', label: 'What it may do', scope: 'keys' }}>
          {PLAYER_SCOPES.map((scope) => (
            <Check
              key={scope}
              {...{ name: 'scopes', value: scope, scope: 'keys', label: SCOPE_TEXTS[scope] ?? scope }}
              checked={picked.includes(scope)}
            />
          ))}
        </FieldSet>
        <Submit look="second">Create key</Submit>
      </PostForm>
    </>
  )
}

export function Programs({ programs }: { programs: readonly Program[] }) {
  if (programs.length === 0) {
    return <p class="quiet">No program may use your account. One that wants to asks you first.</p>
  }
  return (
    <ul class="records">
      {programs.map((program) => (
        <li key={program.client_id}>
          <div>
            <p>
              <strong>{program.name}</strong>
            </p>
            <Scopes scopes={program.scopes} />
            <Used since={program.connected_at} sinceLabel="Connected" used={program.last_used_at} />
          </div>
          <RecordForm
            action={`/account/programs/${encodeURIComponent(program.client_id)}/disconnect`}
            word="Disconnect"
            name={program.name}
          />
        </li>
      ))}
    </ul>
  )
}

export function StoreAccount({ me, store }: { me: Me; store: string }) {
  if (me.extstore_id === null) {
    return (
      <>
        <p class="quiet">Link your account at {store} to be known in games that sign in by it.</p>
        <p>
          <a class="button second" href="/api/v1/private/me/extstore/connect">
            Link store account
          </a>
        </p>
      </>
    )
  }
  return (
    <div class="row between">
      <p>
        Linked to <code>{me.extstore_id}</code>
      </p>
      <PostForm action="/account/store/unlink" class="">
        <Submit look="second">Unlink store account</Submit>
      </PostForm>
    </div>
  )
}

export function Sessions({ sessions }: { sessions: readonly SessionFacts[] }) {
  return (
    <>
      <ul class="records">
        {sessions.map(({ uid, isCurrent, browser, address, since }) => (
          <li key={uid}>
            <div>
              <p class="row">
                <strong>{browser}</strong>
                {isCurrent ? <Badge tone="good">This browser</Badge> : null}
              </p>
              <p class="quiet small">
                Signed in <Day at={since} />
                {address === '' ? '' : ` from ${address}`}
              </p>
            </div>
          </li>
        ))}
      </ul>
      {sessions.length > 1 ? (
        <PostForm action="/account/sessions/end">
          <Submit look="second">Sign out other browsers</Submit>
        </PostForm>
      ) : null}
    </>
  )
}

/** A button that removes one entry of a list, such as a session; `name` tells screen readers which one. */
export function RecordForm({ action, word, name }: { action: string; word: string; name: string }) {
  return (
    <PostForm action={action} class="">
      <Submit look="second">
        {word}
        <span class="visually-hidden"> {name}</span>
      </Submit>
    </PostForm>
  )
}

function Scopes({ scopes }: { scopes: readonly string[] }) {
  return (
    <ul class="scopes small">
      {scopes.map((scope) => (
        <li key={scope}>{SCOPE_TEXTS[scope] ?? scope}</li>
      ))}
    </ul>
  )
}

export function Used({
  since,
  sinceLabel,
  used,
}: {
  since: string
  sinceLabel: string
  used: string | null
}) {
  return (
    <p class="quiet small">
      {sinceLabel} <Day at={since} /> ·{' '}
      {used === null ? (
        'never used'
      ) : (
        <>
          last used <Day at={used} />
        </>
      )}
    </p>
  )
}
