import type { VNode } from 'preact'

import * as limits from '../../../domain/store-settings.ts'
import type { FormState } from '../../kit/form-state.ts'
import { AreaField, FieldSet, SelectField, TextField } from '../../kit/form.tsx'

interface FieldsProps {
  form: FormState
  settings: limits.StoreSettings
}

const toOptions = ([yes, no]: readonly [string, string]) =>
  [
    ['true', yes],
    ['false', no],
  ] as const

/** The form control for a setting, chosen by its kind. */
export function SettingField({ name, form, settings }: FieldsProps & { name: limits.SettingName }) {
  const setting: limits.Setting = limits.SETTINGS[name]
  const { label, hint } = setting
  const Parts = PARTS[name]
  if (Parts) return <Parts {...{ form, settings }} />
  const value = String((settings[name] as string | number | boolean | null) ?? '')
  const field = { form, name, label, value, hint }
  switch (setting.kind) {
    case 'line':
      return <TextField {...field} limit={setting.max} required />
    case 'text': {
      const { max: limit, rows } = setting
      return rows === undefined ? (
        <TextField {...{ ...field, limit }} />
      ) : (
        <AreaField {...{ ...field, limit, rows }} />
      )
    }
    case 'colour':
      return <TextField {...field} type="color" />
    case 'choice':
      return <SelectField {...field} options={setting.options} />
    case 'whole':
      return <TextField {...field} inputMode="numeric" />
    case 'flag':
      return <SelectField {...field} options={toOptions(setting.words ?? ['Yes', 'No'])} />
    case 'contact':
    case 'parts':
    default:
      return <TextField {...field} />
  }
}

/** The fields of settings that consist of several values. */
const PARTS: { readonly [Name in limits.SettingName]?: (props: FieldsProps) => VNode } = {
  hero: HeroFields,
  home: Home,
  announcement: AnnouncementFields,
  footer_links: FooterLinks,
  synonyms: Synonyms,
}

function Synonyms({ form, settings: { synonyms } }: FieldsProps) {
  const { label, hint } = limits.SETTINGS.synonyms
  const value = synonyms.map((group) => group.join(', ')).join('\n')
  return <AreaField {...{ form, name: 'synonyms', label, hint, value, rows: 6 }} />
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
  posts: 'News of developers',
  jams: 'Jams that run or come next',
}
const PLACES = [
  ['', 'Not shown'],
  ...limits.HOME_SECTIONS.map((_, index) => [String(index + 1), `Place ${index + 1}`] as const),
] as const

function HeroFields({ form, settings: { hero } }: FieldsProps) {
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
    </>
  )
}

function Home({ form, settings: { home } }: FieldsProps) {
  return (
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

function FooterLinks({ form, settings: { footer_links } }: FieldsProps) {
  const [labels, urls] = [form.values.getAll('footer_labels'), form.values.getAll('footer_urls')]
  const entered = labels.map((label, index) => ({ label, url: urls[index] ?? '' }))
  const links = labels.length > 0 ? entered.filter(({ label, url }) => label + url !== '') : footer_links
  const rows = Math.min(links.length + SPARE_LINKS, limits.FOOTER_LINKS_MAX)
  return (
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
  )
}
