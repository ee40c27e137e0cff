import type { VNode } from 'preact'

import * as limits from '../../../domain/store-settings.ts'
import { AreaField, SelectField, TextField } from '../../kit/controls.tsx'
import { FieldSet } from '../../kit/field.tsx'
import type { FormState } from '../../kit/form-state.ts'
import type { Group } from './settings-form.ts'

interface FieldsProps {
  form: FormState
  settings: limits.StoreSettings
}

/** The fields of each group. */
export const GROUP_FIELDS: Readonly<Record<Group, (props: FieldsProps) => VNode>> = {
  identity: Identity,
  looks: Looks,
  home: Home,
  announcement: AnnouncementFields,
  footer: Footer,
  policies: Policies,
}

function Identity({ form, settings: { name, tagline, description } }: FieldsProps) {
  return (
    <>
      <TextField
        {...{ form, name: 'name', label: 'Name', value: name, limit: limits.STORE_NAME_MAX }}
        required
      />
      <TextField
        {...{ form, name: 'tagline', label: 'Tagline', value: tagline, limit: limits.TAGLINE_MAX }}
        hint="The title of the home page, in a few words."
      />
      <AreaField
        {...{ form, name: 'description', label: 'Description', value: description, rows: 3 }}
        limit={limits.DESCRIPTION_MAX}
        hint="For search engines and link previews."
      />
    </>
  )
}

function Looks({ form, settings: { accent } }: FieldsProps) {
  return (
    <TextField
      {...{ form, name: 'accent', label: 'Accent', value: accent, type: 'color' }}
      hint="Preview shows this page in the new colours before you save them."
    />
  )
}

const SECTION_LABELS: Readonly<Record<limits.HomeSection, string>> = {
  featured: 'Featured listing',
  play_now: 'Play now',
  tonight: 'Tonight',
  unheard_of: 'Unheard of',
  newest: 'Newest',
  updated: 'Recently updated',
  collections: 'Collections',
  tags: 'Popular tags',
}
const PLACES = [
  ['', 'Not shown'],
  ...limits.HOME_SECTIONS.map((_, index) => [String(index + 1), `Place ${index + 1}`] as const),
] as const

function Home({ form, settings: { hero, home } }: FieldsProps) {
  return (
    <>
      <TextField
        {...{
          form,
          name: 'hero.headline',
          label: 'Headline',
          value: hero.headline,
          limit: limits.HEADLINE_MAX,
        }}
        required
      />
      <AreaField
        {...{ form, name: 'hero.text', label: 'Text below it', value: hero.text, rows: 3 }}
        limit={limits.HERO_TEXT_MAX}
      />
      <TextField
        {...{ form, name: 'hero.game', label: 'Featured listing', value: hero.game ?? '' }}
        hint="The name in its address, or its uid. Empty: a new listing that few know."
      />
      <FieldSet {...{ form, name: 'home', label: 'Sections' }}>
        <div class="settings-places">
          {limits.HOME_SECTIONS.map((name) => (
            <SelectField
              key={name}
              {...{ form, name: `home.${name}`, label: SECTION_LABELS[name], options: PLACES }}
              value={home.includes(name) ? String(home.indexOf(name) + 1) : ''}
            />
          ))}
        </div>
      </FieldSet>
    </>
  )
}

const LEVELS = [
  ['info', 'Information'],
  ['warning', 'Warning'],
] as const

function AnnouncementFields({ form, settings: { announcement } }: FieldsProps) {
  const time = (text: string | null | undefined) => text?.slice(0, 16) ?? ''
  return (
    <>
      <AreaField
        {...{
          form,
          name: 'announcement.markdown',
          label: 'Text',
          value: announcement?.markdown ?? '',
          rows: 3,
        }}
        limit={limits.ANNOUNCEMENT_MAX}
        hint="Markdown. Empty: no announcement."
      />
      <div class="settings-pair">
        <TextField
          {...{ form, name: 'announcement.from', label: 'From (UTC)', value: time(announcement?.from) }}
          type="datetime-local"
        />
        <TextField
          {...{ form, name: 'announcement.until', label: 'Until (UTC)', value: time(announcement?.until) }}
          type="datetime-local"
        />
      </div>
      <SelectField
        {...{ form, name: 'announcement.level', label: 'Level', options: LEVELS }}
        value={announcement?.level ?? 'info'}
      />
    </>
  )
}

const SPARE_LINKS = 2

function Footer({ form, settings: { footer_links, contact } }: FieldsProps) {
  const [labels, urls] = [form.values.getAll('footer_labels'), form.values.getAll('footer_urls')]
  const entered = labels.map((label, index) => ({ label, url: urls[index] ?? '' }))
  const links = labels.length > 0 ? entered.filter(({ label, url }) => label + url !== '') : footer_links
  const rows = Math.min(links.length + SPARE_LINKS, limits.FOOTER_LINKS_MAX)
  return (
    <>
      <FieldSet
        {...{ form, name: 'footer_links', label: 'Links' }}
        hint={`Up to ${limits.FOOTER_LINKS_MAX}, each with an https:// address. Empty a row to remove it; save for more rows.`}
      >
        {Array.from({ length: rows }, (_, index) => (
          <div key={index} class="settings-pair">
            <input
              class="input"
              name="footer_labels"
              aria-label={`Label of link ${index + 1}`}
              placeholder="Label"
              value={links[index]?.label ?? ''}
              maxLength={limits.LINK_LABEL_MAX}
            />
            <input
              class="input"
              name="footer_urls"
              aria-label={`Address of link ${index + 1}`}
              placeholder="https://"
              inputMode="url"
              value={links[index]?.url ?? ''}
            />
          </div>
        ))}
      </FieldSet>
      <TextField
        {...{ form, name: 'contact', label: 'Contact', value: contact ?? '' }}
        hint="An e-mail address or an https:// address."
      />
    </>
  )
}

export const SIGN_UP = [
  ['open', 'Everyone'],
  ['invite', 'Those with an invitation'],
  ['closed', 'Nobody: operators add accounts'],
] as const
export const PUBLISHING = [
  ['anyone', 'Developers, at once'],
  ['approved', 'Operators approve the first page of each developer'],
] as const
const ADULT = [
  ['allowed', 'Allowed, for those who ask for it'],
  ['not_allowed', 'Not allowed: such pages are hidden'],
] as const
const SECOND_FACTOR = [
  ['optional', 'Nobody'],
  ['operators', 'Operators'],
  ['publishers', 'Operators and everyone who publishes'],
] as const
const INDEXING = [
  ['true', 'Yes'],
  ['false', 'No'],
] as const

function Policies({ form, settings }: FieldsProps) {
  const { sign_up, publishing, adult_content, second_factor, fee_percent, indexing } = settings
  return (
    <>
      <SelectField
        {...{ form, name: 'sign_up', label: 'Who can create an account', value: sign_up, options: SIGN_UP }}
        hint="Invitations are made under Invites, where operators also add accounts."
      />
      <SelectField
        {...{ form, name: 'publishing', label: 'Who publishes', value: publishing, options: PUBLISHING }}
        hint="What waits is under Queue. Drafts and builds work meanwhile."
      />
      <SelectField
        {...{ form, name: 'adult_content', label: 'Adult pages', value: adult_content, options: ADULT }}
        hint="Hidden pages come back as they were when you allow them again."
      />
      <SelectField
        {...{ form, name: 'second_factor', value: second_factor, options: SECOND_FACTOR }}
        label="Who must have a second factor"
        hint="A passkey or an authenticator app. Who lacks one is led to set it up before they run the store, issue deploy keys, trust a pipeline or promote a build to stable. Keys that pipelines have go on working."
      />
      <TextField
        {...{ form, name: 'fee_percent', label: 'Percent of a sale that the store keeps' }}
        value={String(fee_percent)}
        inputMode="numeric"
        hint={`0 to ${limits.FEE_MAX}. New orders only.`}
      />
      <SelectField
        {...{ form, name: 'indexing', label: 'Search engines may list the store', options: INDEXING }}
        value={String(indexing)}
      />
    </>
  )
}
