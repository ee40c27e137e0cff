import type { ComponentChildren } from 'preact'

import {
  type Factors,
  HIDDEN_TAGS_MAX,
  type Me,
  type PlayerKey,
  type Program,
  USERNAME_LETTERS,
  USERNAME_MAX,
} from '../../features/accounts/model.ts'
import type { SessionFacts } from '../../features/accounts/sessions/session-list.ts'
import { PASSWORD_MAX } from '../../features/accounts/sign-in/auth-settings.ts'
import type { StorageUse } from '../../features/storage/quota.ts'
import { Badge } from '../components/badge.tsx'
import { DoneNotice } from '../components/notice.tsx'
import { StorageBar } from '../components/storage-bar.tsx'
import { Check, TextField } from '../kit/controls.tsx'
import type { FormState } from '../kit/form-state.ts'
import { FaultSummary, PostForm, Submit } from '../kit/form.tsx'
import { Layout } from '../kit/layout.tsx'
import { InSection, useSection } from '../kit/outcome.tsx'
import { formOf, type PageState } from '../kit/pages.ts'
import { Keys, Programs, Sessions, StoreAccount } from './account-access.tsx'
import { Security } from './security-section.tsx'
import { PASSWORD_HINT, ProviderFault } from './sign-in-page.tsx'

/** The messages shown after a form of the page succeeded. */
const NOTICES = {
  welcome: 'Welcome. Open the link in the mail we sent you to confirm your address.',
  setup:
    'Your store is set up, and you run it. Add a passkey or an authenticator app to your account here, then open Operate.',
  profile: 'Your profile is saved.',
  email: 'Open the link we sent to the new address and confirm it there; until then nothing changes.',
  password: 'Your password is changed, and everything that used the old one has ended.',
  passkey: 'The passkey is added. You can sign in with it from now on.',
  app: 'The authenticator app is added. Its codes are asked for after the password.',
  'factor-removed': 'It is removed and no longer signs you in.',
  forgotten: 'The browser is forgotten: it needs the second step again.',
  connected: 'You can sign in by it from now on.',
  renamed: 'The passkey has its new name.',
  'provider-removed': 'It is disconnected and no longer signs you in.',
  'key-deleted': 'The key is deleted and no longer works.',
  disconnected: 'The program is disconnected and can no longer use your account.',
  linked: 'Your store account is linked.',
  unlinked: 'Your store account is unlinked.',
  sessions: 'All other browsers are signed out.',
}

export interface AccountFacts {
  me: Me
  keys: readonly PlayerKey[]
  programs: readonly Program[]
  sessions: readonly SessionFacts[]
  storage: StorageUse
  /** Accounts that only sign in through providers have none. */
  hasPassword: boolean
  factors: Factors
}

interface AccountPageProps extends AccountFacts {
  state: PageState
}

const SECTIONS = {
  profile: 'Profile',
  email: 'E-mail',
  password: 'Password',
  security: 'Sign-in security',
  keys: 'Player keys',
  programs: 'Connected programs',
  store: 'Store account',
  sessions: 'Sessions',
  data: 'Your data',
  delete: 'Delete account',
} as const

export function AccountPage({ state, ...facts }: AccountPageProps) {
  const { me, keys, programs, sessions, storage, hasPassword, factors } = facts
  const { visit } = state
  return (
    <Layout visit={visit} title="Account" scripts={['passkey']}>
      <div class="account-page">
        <header>
          <h1>Account</h1>
          <p class="quiet">
            {me.username} · {me.email}
          </p>
          <StorageBar storage={storage} />
        </header>
        <nav aria-label="Sections of the account">
          <ul class="section-links">
            {Object.entries(SECTIONS)
              .filter(([id]) => hasPassword || id !== 'password')
              .map(([id, title]) => (
                <li key={id}>
                  <a href={`#${id}`}>{title}</a>
                </li>
              ))}
          </ul>
        </nav>
        <div class="account-sections">
          <DoneNotice visit={visit} notices={NOTICES} />
          <ProviderFault error={state.query.error} />
          <Section state={state} id="profile">
            <Profile me={me} form={formOf(state, 'profile')} />
          </Section>
          <Section state={state} id="email">
            <Email {...{ me, hasPassword }} form={formOf(state, 'email')} />
          </Section>
          {hasPassword ? (
            <Section state={state} id="password">
              <Password form={formOf(state, 'password')} />
            </Section>
          ) : null}
          <Section state={state} id="security">
            <Security factors={factors} isNeeded={state.query.needs === 'factor'} />
          </Section>
          <Section state={state} id="keys">
            <Keys keys={keys} form={formOf(state, 'keys')} />
          </Section>
          <Section state={state} id="programs">
            <Programs programs={programs} />
          </Section>
          <Section state={state} id="store">
            <StoreAccount me={me} store={visit.store.externalStore} />
          </Section>
          <Section state={state} id="sessions">
            <Sessions sessions={sessions} />
          </Section>
          <Section state={state} id="data">
            <Export />
          </Section>
          <Section state={state} id="delete">
            <Deletion form={formOf(state, 'delete')} hasPassword={hasPassword} />
          </Section>
        </div>
      </div>
    </Layout>
  )
}

interface SectionProps {
  state: PageState
  /** Also the name of the section's forms. */
  id: keyof typeof SECTIONS
  children: ComponentChildren
}

function Section({ state, id, children }: SectionProps) {
  const section = useSection(id)
  return (
    <section class="panel stack" id={section.id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{SECTIONS[id]}</h2>
      {section.message}
      <FaultSummary form={formOf(state, id)} scope={id} />
      <InSection id={id}>{children}</InSection>
    </section>
  )
}

interface MeFormProps {
  me: Me
  form: FormState
}

function Profile({ me, form }: MeFormProps) {
  const wasSent = form.faults.length > 0
  const isOn = (name: string, stored: boolean) => (wasSent ? form.values.has(name) : stored)
  return (
    <>
      <PostForm action="/account/profile">
        <TextField
          {...{ form, name: 'username', label: 'Username', value: me.username, scope: 'profile' }}
          hint={`${USERNAME_LETTERS}. It stands on your pages and reviews.`}
          autoComplete="nickname"
          maxLength={USERNAME_MAX}
          required
        />
        <Check
          {...{ name: 'developer_mode', label: 'Developer mode', scope: 'profile' }}
          checked={isOn('developer_mode', me.developer_mode)}
          hint="Lets you make projects and publish them."
        />
        <Check
          {...{ name: 'adult_content', label: 'Show adult content', scope: 'profile' }}
          checked={isOn('adult_content', me.adult_content)}
          hint="Listings for adults are left out otherwise."
        />
        <TextField
          {...{ form, name: 'hidden_tags', label: 'Tags to always hide', scope: 'profile' }}
          value={me.hidden_tags.join(', ')}
          hint={`With commas, up to ${HIDDEN_TAGS_MAX}. Listings with one of them are left out of search and shelves.`}
          autoComplete="off"
        />
        <Submit>Save profile</Submit>
      </PostForm>
    </>
  )
}

interface PasswordProps {
  /** Accounts without a password need a recent confirmation of the session instead. */
  hasPassword: boolean
}

function Email({ me, form, hasPassword }: MeFormProps & PasswordProps) {
  return (
    <>
      <p class="row">
        <span>{me.email}</span>
        {me.email_verified ? <Badge tone="good">Confirmed</Badge> : <Badge tone="warn">Not confirmed</Badge>}
      </p>
      {me.email_verified ? null : (
        <PostForm action="/verify">
          <Submit look="second">Send confirmation link again</Submit>
        </PostForm>
      )}
      <PostForm action="/account/email">
        <TextField
          {...{ form, name: 'newEmail', label: 'New e-mail address', type: 'email', scope: 'email' }}
          hint="We send a link to it; the address changes when you confirm it there."
          autoComplete="email"
          required
        />
        {hasPassword ? (
          <TextField
            {...{ form, name: 'password', label: 'Your password', type: 'password', scope: 'email' }}
            autoComplete="current-password"
            required
          />
        ) : null}
        <Submit look="second">Change e-mail</Submit>
      </PostForm>
    </>
  )
}

function Password({ form }: { form: FormState }) {
  return (
    <>
      <p class="quiet">
        Changing it signs out every other browser, deletes your player keys and disconnects all programs.
      </p>
      <PostForm action="/account/password">
        <TextField
          {...{ form, name: 'currentPassword', label: 'Current password', type: 'password' }}
          scope="password"
          autoComplete="current-password"
          required
        />
        <TextField
          {...{ form, name: 'newPassword', label: 'New password', type: 'password', scope: 'password' }}
          hint={PASSWORD_HINT}
          autoComplete="new-password"
          maxLength={PASSWORD_MAX}
          required
        />
        <Submit look="second">Change password</Submit>
      </PostForm>
    </>
  )
}

function Export() {
  return (
    <>
      <p class="quiet">Everything that is stored about your account, as one JSON file.</p>
      <p>
        <a class="button second" href="/account/export" download>
          Download your data
        </a>
      </p>
    </>
  )
}

function Deletion({ form, hasPassword }: { form: FormState } & PasswordProps) {
  return (
    <>
      <p>
        Your library, play time, reviews, tag votes, keys and connected programs are deleted with the account,
        at once and for good. Projects you own come first: make each a draft and delete it.
      </p>
      <PostForm action="/account/delete">
        {hasPassword ? (
          <TextField
            {...{ form, name: 'password', label: 'Password to confirm', type: 'password', scope: 'delete' }}
            autoComplete="current-password"
            required
          />
        ) : null}
        <Submit look="danger">Delete account</Submit>
      </PostForm>
    </>
  )
}
