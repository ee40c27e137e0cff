import type { ComponentChildren } from 'preact'

import type { Factors } from '../../features/accounts/factors/factor-model.ts'
import type { Me, PlayerKey, Program } from '../../features/accounts/model.ts'
import type { SessionFacts } from '../../features/accounts/sessions/session-list.ts'
import type { StorageUse } from '../../features/storage/quota.ts'
import { DoneNotice } from '../components/notice.tsx'
import { StorageBar } from '../components/storage-bar.tsx'
import { FaultSummary } from '../kit/form.tsx'
import { Layout } from '../kit/layout.tsx'
import { InSection, useSection } from '../kit/outcome.tsx'
import { formOf, type PageState } from '../kit/pages.ts'
import { Keys, Programs, Sessions, StoreAccount } from './account-access.tsx'
import { Deletion, Email, Export, Password, Profile } from './account-profile.tsx'
import { ProviderFault } from './provider-fault.tsx'
import { Security } from './security-section.tsx'

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
  /** Accounts that sign in by others have none. */
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
  /** Also the name of its forms. */
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
