import type { ComponentChildren } from 'preact'

import type { Me, NewPlayerKey, PlayerKey, Program } from '../../features/accounts/model.ts'
import type { SessionFacts } from '../../features/accounts/sessions/session-list.ts'
import type { StorageUse } from '../../features/storage/quota.ts'
import type { Visit } from '../../http/visit.ts'
import { Notice } from '../components/notice.tsx'
import { StorageBar } from '../components/storage-bar.tsx'
import { EMPTY_FORM, type FormState } from '../kit/form-state.ts'
import { Layout } from '../kit/layout.tsx'
import { Keys, Programs, Sessions, StoreAccount } from './account-access.tsx'
import { Deletion, Email, Export, Password, Profile } from './account-profile.tsx'

/** The forms of the page, by the part of the path they are sent to. */
export const ACCOUNT_FORMS = ['profile', 'email', 'password', 'keys', 'delete'] as const
export type AccountForm = (typeof ACCOUNT_FORMS)[number]

export interface AccountFacts {
  me: Me
  keys: readonly PlayerKey[]
  programs: readonly Program[]
  sessions: readonly SessionFacts[]
  storage: StorageUse
}

export interface AccountPageProps extends AccountFacts {
  visit: Visit
  notice: string | null
  /** The form that was rejected. */
  refused?: { name: AccountForm; form: FormState }
  /** Shown only once, on this page. */
  newKey?: NewPlayerKey
}

const SECTIONS = {
  profile: 'Profile',
  email: 'E-mail',
  password: 'Password',
  keys: 'Player keys',
  programs: 'Connected programs',
  store: 'Store account',
  sessions: 'Sessions',
  data: 'Your data',
  delete: 'Delete account',
} as const

export function AccountPage({ visit, notice, refused, newKey, ...facts }: AccountPageProps) {
  const { me, keys, programs, sessions, storage } = facts
  const formOf = (name: AccountForm) => (refused?.name === name ? refused.form : EMPTY_FORM)
  return (
    <Layout visit={visit} title="Account">
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
            {Object.entries(SECTIONS).map(([id, title]) => (
              <li key={id}>
                <a href={`#${id}`}>{title}</a>
              </li>
            ))}
          </ul>
        </nav>
        <div class="account-sections">
          {notice === null ? null : <Notice tone="good">{notice}</Notice>}
          <Section id="profile">
            <Profile me={me} form={formOf('profile')} />
          </Section>
          <Section id="email">
            <Email me={me} form={formOf('email')} />
          </Section>
          <Section id="password">
            <Password form={formOf('password')} />
          </Section>
          <Section id="keys">
            <Keys keys={keys} form={formOf('keys')} {...(newKey && { newKey })} />
          </Section>
          <Section id="programs">
            <Programs programs={programs} />
          </Section>
          <Section id="store">
            <StoreAccount me={me} />
          </Section>
          <Section id="sessions">
            <Sessions sessions={sessions} />
          </Section>
          <Section id="data">
            <Export />
          </Section>
          <Section id="delete">
            <Deletion form={formOf('delete')} />
          </Section>
        </div>
      </div>
    </Layout>
  )
}

function Section({ id, children }: { id: keyof typeof SECTIONS; children: ComponentChildren }) {
  return (
    <section class="panel stack" id={id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{SECTIONS[id]}</h2>
      {children}
    </section>
  )
}
