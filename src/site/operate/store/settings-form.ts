import { HOME_SECTIONS, type HomeSection } from '../../../domain/store-settings.ts'
import { invalidField } from '../../../errors.ts'
import { SettingsPatch } from '../../../features/settings/model.ts'
import { checkForm, textOf } from '../../kit/form-state.ts'

/** The groups of the page, each with its own form. */
export const GROUPS = {
  identity: 'Name and words',
  looks: 'Colours',
  home: 'Home page',
  announcement: 'Announcement',
  footer: 'Footer and contact',
  policies: 'Policies',
} as const
export type Group = keyof typeof GROUPS

/** The fields of each group. */
const FIELDS = {
  identity: ['name', 'tagline', 'description'],
  looks: ['accent'],
  home: ['hero', 'home'],
  announcement: ['announcement'],
  footer: ['footer_links', 'contact'],
  policies: ['sign_up', 'publishing', 'adult_content', 'second_factor', 'fee_percent', 'indexing'],
} as const satisfies Record<Group, readonly (keyof SettingsPatch)[]>

export function readGroup(form: URLSearchParams): Group {
  const sent = form.get('group') ?? ''
  return Object.hasOwn(GROUPS, sent) ? (sent as Group) : 'policies'
}

/** Brings the defaults of a group back. */
export function resetGroup(group: Group): SettingsPatch {
  return Object.fromEntries(FIELDS[group].map((name) => [name, null]))
}

/** Reads a form by the rules of the API. Fields that it does not have stay as they are. */
export function readSettingsForm(form: URLSearchParams): SettingsPatch {
  const patch = READERS[readGroup(form)](form)
  checkForm(SettingsPatch, patch)
  return patch
}

const READERS: Readonly<Record<Group, (form: URLSearchParams) => SettingsPatch>> = {
  identity: (form) => textsOf(form, ['name', 'tagline', 'description']),
  looks: (form) => textsOf(form, ['accent']),
  home: (form) => ({
    hero: {
      headline: textOf(form, 'hero.headline'),
      text: textOf(form, 'hero.text'),
      game: textOf(form, 'hero.game').trim() || null,
    },
    home: readHome(form),
  }),
  announcement: readAnnouncement,
  footer: (form) => ({ footer_links: readLinks(form), contact: textOf(form, 'contact').trim() || null }),
  policies: readPolicies,
}

function textsOf<Name extends string>(
  form: URLSearchParams,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  return Object.fromEntries(
    names.flatMap((name) => (form.has(name) ? [[name, textOf(form, name)]] : [])),
  ) as Partial<Record<Name, string>>
}

/** Each section has a place from 1 on, or none. */
function readHome(form: URLSearchParams): HomeSection[] {
  const places = HOME_SECTIONS.map((name, index) => ({
    name,
    place: Number(form.get(`home.${name}`)),
    index,
  }))
  return places
    .filter(({ place }) => place > 0)
    .toSorted((a, b) => a.place - b.place || a.index - b.index)
    .map(({ name }) => name)
}

function readAnnouncement(form: URLSearchParams): SettingsPatch {
  const markdown = textOf(form, 'announcement.markdown')
  if (markdown.trim() === '') return { announcement: null }
  const announcement = {
    markdown: markdown.replaceAll('\r\n', '\n'),
    from: readTime(form, 'announcement.from'),
    until: readTime(form, 'announcement.until'),
    level: form.get('announcement.level') ?? 'info',
  }
  return { announcement } as SettingsPatch
}

/** A day and a time of UTC; null if the field is empty. */
export function readTime(form: URLSearchParams, name: string): string | null {
  const text = textOf(form, name).trim()
  if (text === '') return null
  const time = new Date(`${text}Z`)
  if (Number.isNaN(time.getTime())) throw invalidField(name, 'must be a day and a time.')
  return time.toISOString()
}

function readLinks(form: URLSearchParams): { label: string; url: string }[] {
  const urls = form.getAll('footer_urls')
  return form
    .getAll('footer_labels')
    .map((label, index) => ({ label: label.trim(), url: urls[index]?.trim() ?? '' }))
    .filter(({ label, url }) => label !== '' || url !== '')
}

function readPolicies(form: URLSearchParams): SettingsPatch {
  const fee = form.get('fee_percent')
  const indexing = form.get('indexing')
  return {
    ...textsOf(form, ['sign_up', 'publishing', 'adult_content', 'second_factor']),
    ...(fee !== null && { fee_percent: fee.trim() === '' ? null : Number(fee) }),
    ...(indexing !== null && { indexing: indexing === 'true' }),
  } as SettingsPatch
}
