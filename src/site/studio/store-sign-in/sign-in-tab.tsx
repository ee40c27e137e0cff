import { GROUPS } from '../../../features/extstore/import/model.ts'
import type { Settings } from '../../../features/extstore/link/model.ts'
import type { Visit } from '../../../http/visit.ts'
import { CopyBlock } from '../../components/copy-block.tsx'
import { SecretPage } from '../../components/secret-page.tsx'
import { ChecksField, FaultSummary, FieldGroup, PostForm, Submit, TextField } from '../../kit/form.tsx'
import { Day } from '../../kit/labels.tsx'
import { formOf, type PageState } from '../../kit/pages.ts'
import { StudioPage, type TabProps } from '../frame/studio-frame.tsx'
import { GROUP_LABELS } from '../import/import-page.tsx'

const NOTICES: Readonly<Record<string, string>> = {
  on: 'Sign-in is on. Your servers need the auth key, the game the ticket key.',
  off: 'Sign-in is off: the keys are deleted and every token is revoked.',
  key: 'The Web API key is replaced. Other keys and tokens keep working.',
  'auth-key': 'There is a new auth key. The old one and every token stopped.',
  'ticket-key': 'There is a new ticket key. Builds with the old one can no longer sign in.',
  unlinked: 'The project is no longer linked. What was imported stays.',
  synced: 'The page is imported again.',
}

const KEY_HINT =
  'A publisher key that covers the app: 32 of 0-9 and A-F. It is stored encrypted while sign-in is on, and never shown again.'

interface AuthKeyProps {
  visit: Visit
  authKey: string
  back: string
}

export function AuthKeyPage({ visit, authKey, back }: AuthKeyProps) {
  return (
    <SecretPage
      {...{ visit, back }}
      title="Auth key"
      warning="For your servers only. Whoever has it can sign tokens; this view was logged."
    >
      <CopyBlock under={1} id="auth-key" title="Auth key" text={authKey} />
    </SecretPage>
  )
}

export function SignInTab({ project, state, settings }: TabProps<{ settings: Settings | null }>) {
  const { visit, refused } = state
  const base = `/studio/${project.listing.vanity_name}/sign-in`
  return (
    <StudioPage
      {...{ visit, project }}
      tab="sign-in"
      lead={`Players of a build on ${visit.store.externalStore} sign in with the ticket of that store; your servers get a token they can verify.`}
      notices={NOTICES}
      scripts={['studio']}
    >
      {refused === undefined ? null : <FaultSummary form={refused.form} scope={refused.name} />}
      {settings === null ? (
        <div class="empty">
          <h2>Not linked to {visit.store.externalStore}</h2>
          <p>
            Import the page of the app into this project. That links the two, and sign-in can be turned on.
          </p>
          <a class="button" href={`/studio/import?game_uid=${project.listing.uid}`}>
            Import from {visit.store.externalStore}
          </a>
        </div>
      ) : (
        <>
          {settings.enabled ? (
            <Keys {...{ base, state, settings }} />
          ) : (
            <KeyForm {...{ base, state }} path="enable" title="Turn sign-in on" button="Turn on" />
          )}
          <Addresses settings={settings} />
          <ResyncForm {...{ base, state, settings }} />
          <FieldGroup
            id="unlink"
            title="Unlink"
            hint="Turns sign-in off, revokes every token and forgets the app. What was imported stays."
          >
            <PostForm action={`${base}/unlink`}>
              <Submit look="danger">Unlink app {settings.app_id}</Submit>
            </PostForm>
          </FieldGroup>
        </>
      )}
    </StudioPage>
  )
}

interface PartProps {
  base: string
  state: PageState
  settings: Settings
}

function Keys({ base, state, settings }: PartProps) {
  return (
    <>
      <FieldGroup id="keys" title="Keys">
        <ul class="records">
          <li>
            <div>
              <p>Auth key, ends in {settings.auth_key_last4}</p>
              <p class="quiet small">For your servers. A new one ends the old one and every token at once.</p>
            </div>
            <div class="row">
              <Press action={`${base}/auth-key`} label="Show the auth key" />
              <Press action={`${base}/auth-key/renew`} label="Renew the auth key" />
            </div>
          </li>
          <li>
            <div>
              <p>
                Ticket key <code class="secret">{settings.ticket_key}</code>
              </p>
              <p class="quiet small">
                The identity that the game asks its tickets for. Builds with an old one can no longer sign in.
              </p>
            </div>
            <Press action={`${base}/ticket-key`} label="Renew the ticket key" />
          </li>
        </ul>
        <PostForm action={`${base}/disable`}>
          <Submit look="second">Turn sign-in off</Submit>
        </PostForm>
      </FieldGroup>
      <KeyForm {...{ base, state }} path="web-api-key" title="Replace the Web API key" button="Replace" />
    </>
  )
}

function Press({ action, label }: { action: string; label: string }) {
  return (
    <PostForm action={action} class="row">
      <Submit look="second small">{label}</Submit>
    </PostForm>
  )
}

interface KeyFormProps {
  base: string
  state: PageState
  path: 'enable' | 'web-api-key'
  title: string
  button: string
}

function KeyForm({ base, state, path, title, button }: KeyFormProps) {
  const name = path === 'enable' ? 'enable' : 'key'
  return (
    <FieldGroup id={path} title={title}>
      <PostForm action={`${base}/${path}`}>
        <TextField
          form={formOf(state, name)}
          scope={name}
          name="web_api_key"
          label="Web API key"
          hint={KEY_HINT}
        />
        <Submit>{button}</Submit>
      </PostForm>
    </FieldGroup>
  )
}

function Addresses({ settings }: { settings: Settings }) {
  return (
    <FieldGroup id="addresses" title="Addresses of this project">
      {Object.entries(settings.urls).map(([name, url]) => (
        <CopyBlock key={name} id={`url-${name}`} title={name} text={url} />
      ))}
    </FieldGroup>
  )
}

function ResyncForm({ base, state, settings }: PartProps) {
  const form = formOf(state, 'resync')
  return (
    <FieldGroup id="resync" title="Import again">
      <p class="quiet small">
        From app {settings.app_id}, linked <Day at={settings.linked_at} />. Last import:{' '}
        {settings.last_sync_at === null ? 'never' : <Day at={settings.last_sync_at} />}.
      </p>
      <PostForm action={`${base}/resync`}>
        <ChecksField
          form={form}
          scope="resync"
          name="groups"
          label="What to import"
          picked={[...GROUPS]}
          options={GROUPS.map((group) => [group, GROUP_LABELS[group]])}
          hint="It replaces what is on the page."
        />
        <TextField
          form={form}
          scope="resync"
          name="web_api_key"
          label="Web API key"
          hint={settings.has_web_api_key ? 'Left empty, the saved key is used.' : 'Used once and not saved.'}
        />
        <Submit look="second">Import again</Submit>
      </PostForm>
    </FieldGroup>
  )
}
