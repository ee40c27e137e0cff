import type { WebsiteUser } from '../../domain/actor.ts'
import { HIDDEN_TAGS_MAX, type Me, type PlayerKey, type Program } from '../../features/accounts/model.ts'
import type { Factors } from '../../features/accounts/model.ts'
import type { SessionFacts } from '../../features/accounts/sessions/session-list.ts'
import type { SavesSummary } from '../../features/saves/library/service.ts'
import type { StorageUse } from '../../features/storage/quota.ts'
import { StorageBar } from '../components/storage-bar.tsx'
import { Check, PostForm, Submit, TextField } from '../kit/form.tsx'
import { useSection } from '../kit/outcome.tsx'
import { formOf, type PageState } from '../kit/pages.ts'
import { Feed, Keys, Programs, Sessions, StoreAccount } from './account-access.tsx'
import { Deletion, Email, Export, Password } from './account-forms.tsx'
import {
  ACCOUNT_PAGE_NAMES,
  ACCOUNT_PAGES,
  AccountFrame,
  type AccountPageName,
  Section,
} from './account-frame.tsx'
import { AllSaves } from './saves/all-saves.tsx'
import { Security } from './security-section.tsx'
import { ProviderFault } from './sign-in-page.tsx'

interface AccountProps {
  state: PageState
  user: WebsiteUser
}

/** The entries have the ids of the sections, so that old links lead to them. */
export function OverviewPage({ state, user }: AccountProps) {
  return (
    <AccountFrame {...{ state, user }} page={null} script="account">
      <ProviderFault error={state.query.error} />
      {ACCOUNT_PAGE_NAMES.map((name) => (
        <PageEntry key={name} name={name} />
      ))}
    </AccountFrame>
  )
}

function PageEntry({ name }: { name: AccountPageName }) {
  const { title, sections } = ACCOUNT_PAGES[name]
  return (
    <section class="panel" aria-label={title}>
      <h2>
        <a href={`/account/${name}`}>{title}</a>
      </h2>
      <ul class="account-entries">
        {Object.entries<string>(sections).map(([id, text]) => (
          <EntryLink key={id} {...{ name, id, text }} />
        ))}
      </ul>
    </section>
  )
}

function EntryLink({ name, id, text }: { name: AccountPageName; id: string; text: string }) {
  const section = useSection(id)
  return (
    <li id={section.id}>
      {section.message}
      <a href={`/account/${name}#${id}`}>{text}</a>
    </li>
  )
}

interface SecurityPageProps extends AccountProps {
  me: Me
  sessions: readonly SessionFacts[]
  /** Accounts that only sign in through providers have none. */
  hasPassword: boolean
  factors: Factors
}

export function SecurityPage({ state, user, me, sessions, hasPassword, factors }: SecurityPageProps) {
  return (
    <AccountFrame {...{ state, user }} page="security" script="passkey">
      <ProviderFault error={state.query.error} />
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
      <Section state={state} id="sessions">
        <Sessions sessions={sessions} />
      </Section>
    </AccountFrame>
  )
}

interface PrivacyPageProps extends AccountProps {
  me: Me
  /** The page that waits for adult content to be turned on; empty for none. */
  next: string
  /** When the address of the private feed was made; null without one. */
  feedSince: string | null
}

export function PrivacyPage({ state, user, me, next, feedSince }: PrivacyPageProps) {
  const form = formOf(state, 'privacy')
  const adult = form.faults.length > 0 ? form.values.has('adult_content') : me.adult_content
  return (
    <AccountFrame {...{ state, user }} page="privacy">
      <Section state={state} id="privacy">
        <PostForm action="/account/privacy">
          {next === '' ? null : <input type="hidden" name="next" value={next} />}
          <Check
            {...{ name: 'adult_content', label: 'Show adult content', scope: 'privacy' }}
            checked={adult}
            hint={`Listings for adults are left out otherwise.${next === '' ? '' : ' Saving it on leads you back to where you came from.'}`}
          />
          <TextField
            {...{ form, name: 'hidden_tags', label: 'Tags to always hide', scope: 'privacy' }}
            value={me.hidden_tags.join(', ')}
            hint={`With commas, up to ${HIDDEN_TAGS_MAX}. Listings with one of them are left out of search and shelves.`}
            autoComplete="off"
          />
          <Submit>Save choice</Submit>
        </PostForm>
      </Section>
      <Section state={state} id="follows">
        <PostForm action="/account/follows">
          <Check
            {...{ name: 'follow_library', label: 'Follow what I add to my library', scope: 'follows' }}
            checked={me.follow_library}
            hint="You hear of the releases of what you claim, buy or are given."
          />
          <Submit>Save</Submit>
        </PostForm>
      </Section>
      <Section state={state} id="feed">
        <Feed since={feedSince} />
      </Section>
      <Section state={state} id="store">
        <StoreAccount me={me} store={state.visit.store.externalStore} />
      </Section>
    </AccountFrame>
  )
}

interface KeysPageProps extends AccountProps {
  keys: readonly PlayerKey[]
  programs: readonly Program[]
}

export function KeysPage({ state, user, keys, programs }: KeysPageProps) {
  return (
    <AccountFrame {...{ state, user }} page="keys">
      <Section state={state} id="keys">
        <Keys keys={keys} form={formOf(state, 'keys')} />
      </Section>
      <Section state={state} id="programs">
        <Programs programs={programs} />
      </Section>
    </AccountFrame>
  )
}

export function DataPage({
  state,
  user,
  storage,
  saves,
  hasPassword,
}: AccountProps & { storage: StorageUse; saves: SavesSummary; hasPassword: boolean }) {
  return (
    <AccountFrame {...{ state, user }} page="data">
      <Section state={state} id="data">
        <StorageBar storage={storage} />
        <Export />
      </Section>
      <Section state={state} id="saves">
        <AllSaves saves={saves} />
      </Section>
      <Section state={state} id="delete">
        <Deletion form={formOf(state, 'delete')} hasPassword={hasPassword} />
      </Section>
    </AccountFrame>
  )
}
