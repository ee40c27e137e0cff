import { t } from 'elysia'

import {
  groupNames,
  HOME_SECTIONS,
  type HomeSection,
  SETTING_NAMES,
  SETTINGS,
  type SettingsGroup,
} from '../../../domain/store-settings.ts'
import { SettingsPatch } from '../../../features/settings/model.ts'
import { type FieldReader, lines, readForm, textOf, typed, utcTime } from '../../kit/form-state.ts'

/** The groups of the page, each with its own form. */
export const GROUPS: Readonly<Record<SettingsGroup, readonly [title: string, hint: string]>> = {
  identity: [
    'Name and words',
    'The name stands in the header, in titles, mails, feeds and wherever the store is named.',
  ],
  looks: [
    'Looks',
    'All colours of both themes are made from one. Text that would be hard to read is made darker or lighter. Typeface, corners and density apply to every page.',
  ],
  home: ['Home page', 'What visitors see first, and in which order the sections follow.'],
  announcement: [
    'Announcement',
    'Stands above every page. Visitors can dismiss it; a changed one comes back.',
  ],
  footer: [
    'Footer and contact',
    'At the end of every page. The contact also stands on error pages, in mails and in security.txt.',
  ],
  search: [
    'Search',
    'Whoever searches for one of these finds the others too. Common spellings are known already.',
  ],
  policies: ['Policies', 'What people may do here. Changes apply at once.'],
}

export function parseGroup(form: URLSearchParams): SettingsGroup {
  const sent = form.get('group') ?? ''
  return Object.hasOwn(GROUPS, sent) ? (sent as SettingsGroup) : 'policies'
}

/** Resets a group to its defaults. */
export function resetGroup(group: SettingsGroup): SettingsPatch {
  return Object.fromEntries(groupNames(group).map((name) => [name, null]))
}

/** Reads a form by the rules of the API. Fields that it does not have stay as they are. */
export function parseSettingsForm(form: URLSearchParams): SettingsPatch {
  return readForm(t.Pick(SettingsPatch, groupNames(parseGroup(form))), form, READERS)
}

/** Kinds that are read as typed. Others are read by their schema, where an empty field means the default. */
const TYPED_KINDS = new Set(['line', 'text', 'colour', 'choice'])

const READERS: { readonly [Name in keyof SettingsPatch]: FieldReader } = {
  ...Object.fromEntries(
    SETTING_NAMES.filter((name) => TYPED_KINDS.has(SETTINGS[name].kind)).map((name) => [name, typed]),
  ),
  hero: (form) => ({
    headline: textOf(form, 'hero.headline'),
    text: textOf(form, 'hero.text'),
    game: textOf(form, 'hero.game').trim() || null,
  }),
  home: parseHome,
  announcement: (form) => {
    const markdown = 'announcement.markdown'
    if (textOf(form, markdown).trim() === '') return null
    return {
      markdown: lines(form, markdown),
      from: utcTime(form, 'announcement.from'),
      until: utcTime(form, 'announcement.until'),
      level: form.get('announcement.level') ?? 'info',
    }
  },
  footer_links: parseLinks,
  synonyms: parseSynonyms,
}

/** Sorts the sections by the place that was entered, from 1; those without one are hidden. */
function parseHome(form: URLSearchParams): HomeSection[] {
  return HOME_SECTIONS.map((name) => ({ name, place: Number(form.get(`home.${name}`)) }))
    .filter(({ place }) => place > 0)
    .toSorted((a, b) => a.place - b.place)
    .map(({ name }) => name)
}

/** One group on each line. */
function parseSynonyms(form: URLSearchParams): string[][] {
  return textOf(form, 'synonyms')
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .map((line) =>
      line
        .split(',')
        .map((word) => word.trim())
        .filter((word) => word !== ''),
    )
}

function parseLinks(form: URLSearchParams): { label: string; url: string }[] {
  const urls = form.getAll('footer_urls')
  return form
    .getAll('footer_labels')
    .map((label, index) => ({ label: label.trim(), url: urls[index]?.trim() ?? '' }))
    .filter(({ label, url }) => label !== '' || url !== '')
}
