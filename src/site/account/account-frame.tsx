import type { ComponentChildren } from 'preact'

import type { WebsiteUser } from '../../domain/actor.ts'
import { DoneNotice } from '../components/notice.tsx'
import { Face } from '../components/person.tsx'
import { FaultSummary } from '../kit/form.tsx'
import { Layout } from '../kit/layout.tsx'
import { InSection, useSection } from '../kit/outcome.tsx'
import { formOf, type PageState } from '../kit/pages.ts'

/** The messages shown after a form of the page succeeded. */
const NOTICES = {
  welcome: 'Welcome. Open the link in the mail we sent you to confirm your address.',
  setup:
    'Your store is set up, and you run it. Add a passkey or an authenticator app to your account here, then open Operate.',
  profile: 'Your profile is saved.',
  picture: 'Your new picture is shown.',
  banner: 'Your new banner is shown.',
  'picture-removed': 'Your picture is removed.',
  'banner-removed': 'Your banner is removed.',
  privacy: 'Your choice is saved.',
  follows: 'Your choice is saved.',
  'feed-ended': 'The address of your feed no longer works.',
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
  notices: 'Your choice is saved.',
  confirm:
    'A link is on its way to your address, unless we sent you several within the last hour. It is valid for one hour.',
  'saves-deleted': 'All your saves are deleted.',
}

/** The pages of the account, by the end of their address, with their sections. */
export const ACCOUNT_PAGES = {
  profile: {
    title: 'Profile',
    sections: { profile: 'Names and text', picture: 'Picture', banner: 'Banner' },
  },
  security: {
    title: 'Security',
    sections: { email: 'E-mail', password: 'Password', security: 'Sign-in security', sessions: 'Sessions' },
  },
  privacy: {
    title: 'Privacy',
    sections: { privacy: 'What you see', follows: 'Follows', feed: 'Your feed', store: 'Store account' },
  },
  notices: { title: 'Notices', sections: { mails: 'Mails', address: 'Your address' } },
  keys: { title: 'Keys', sections: { keys: 'Player keys', programs: 'Connected programs' } },
  data: { title: 'Data', sections: { data: 'Your data', saves: 'Saves', delete: 'Delete account' } },
} as const
export type AccountPageName = keyof typeof ACCOUNT_PAGES
type SectionId = {
  [Name in AccountPageName]: keyof (typeof ACCOUNT_PAGES)[Name]['sections']
}[AccountPageName]

export const ACCOUNT_PAGE_NAMES = Object.keys(ACCOUNT_PAGES) as AccountPageName[]

const TITLES = Object.assign({}, ...Object.values(ACCOUNT_PAGES).map(({ sections }) => sections)) as Record<
  SectionId,
  string
>

/** Where a section is. */
export function sectionPath(id: SectionId, done?: keyof typeof NOTICES): string {
  const page = ACCOUNT_PAGE_NAMES.find((name) => Object.hasOwn(ACCOUNT_PAGES[name].sections, id))
  return `/account/${page}${done === undefined ? '' : `?done=${done}`}#${id}`
}

interface AccountFrameProps {
  state: PageState
  user: WebsiteUser
  /** Null for the overview. */
  page: AccountPageName | null
  script?: 'passkey' | 'account'
  children: ComponentChildren
}

export function AccountFrame({ state: { visit }, user, page, script, children }: AccountFrameProps) {
  const { username, displayName: display_name, picture, email } = user
  return (
    <Layout
      visit={visit}
      title={page === null ? 'Account' : `${ACCOUNT_PAGES[page].title} · Account`}
      scripts={script ? [script] : []}
    >
      <div class="account-page">
        <header>
          <Face person={{ username, display_name, picture }} class="large" />
          <div>
            <h1>Account</h1>
            <p class="quiet">
              {username} · {email}
            </p>
          </div>
        </header>
        <nav aria-label="Sections of the account">
          <ul class="section-links">
            {ACCOUNT_PAGE_NAMES.map((name) => (
              <li key={name}>
                <a href={`/account/${name}`} aria-current={name === page ? 'page' : undefined}>
                  {ACCOUNT_PAGES[name].title}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <div class="account-sections">
          <DoneNotice visit={visit} notices={NOTICES} />
          {children}
        </div>
      </div>
    </Layout>
  )
}

interface SectionProps {
  state: PageState
  /** Also the name of the section's forms. */
  id: SectionId
  children: ComponentChildren
}

export function Section({ state, id, children }: SectionProps) {
  const section = useSection(id)
  return (
    <section class="panel stack" id={section.id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{TITLES[id]}</h2>
      {section.message}
      <FaultSummary form={formOf(state, id)} scope={id} />
      <InSection id={id}>{children}</InSection>
    </section>
  )
}
