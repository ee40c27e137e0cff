import type { DependencyKind } from '../../../domain/listings/listing.ts'
import { AI_USES, CONTENT_WARNINGS, GENRES, INPUTS, TONES } from '../../../domain/listings/taxonomy.ts'
import type { Listing } from '../../../features/listings/page/model.ts'
import { splitList } from '../../kit/field-words.ts'

/** Every field of the page's form, each as one text: so that two versions can be compared and shown. */
export type Texts = Readonly<Record<FieldName, string>>
export type FieldName = keyof typeof FIELDS

interface Field {
  label: string
  /** text: one line; area: as typed; list: comma-separated; choice: ticked values in the given order; flag: ticked or not. */
  kind: 'text' | 'area' | 'list' | 'flag' | readonly string[]
  show: (listing: Listing) => string
}

const join = (values: readonly string[]) => values.join(', ')
const numberOf = (value: number | null) => (value === null ? '' : String(value))
const named = (games: readonly { vanity_name: string }[]) => join(games.map((game) => game.vanity_name))
const field = (label: string, kind: Field['kind'], show: Field['show']): Field => ({ label, kind, show })
const choice = (
  label: string,
  name: 'genres' | 'tone' | 'inputs' | 'content_warnings' | 'ai_uses',
  known: readonly string[],
) => field(label, known, (listing) => join(known.filter((value) => listing[name].includes(value))))
const dependency = (label: string, kind: DependencyKind) =>
  field(label, 'list', ({ dependencies }) => named(dependencies.filter((link) => link.kind === kind)))

export const FIELDS = {
  name: field('Name', 'text', ({ name }) => name),
  vanity_name: field('Address', 'text', ({ vanity_name }) => vanity_name),
  asset_type: field('Type', 'text', ({ asset_type }) => asset_type),
  status: field('Status', 'text', ({ status }) => status),
  tagline: field('Tagline', 'text', ({ tagline }) => tagline),
  description: field('Description', 'area', ({ description }) => description),
  website: field('Website', 'text', ({ website }) => website ?? ''),
  license_kind: field('Licence', 'text', ({ license_kind }) => license_kind ?? ''),
  adult: field('Adult content', 'flag', ({ adult }) => flagText(adult)),
  indexable: field('Search engines may list it', 'flag', ({ indexable }) => flagText(indexable)),
  genres: choice('Genres', 'genres', GENRES),
  tags: field('Tags', 'list', ({ tags }) => join(tags)),
  tone: choice('Tone', 'tone', TONES),
  inputs: choice('Inputs', 'inputs', INPUTS),
  session_bucket: field('Length of a session', 'text', ({ session_bucket }) => session_bucket ?? ''),
  net: field('Multiplayer', 'text', ({ net }) => net ?? ''),
  players_min: field('Fewest players', 'text', ({ players_min }) => numberOf(players_min)),
  players_max: field('Most players', 'text', ({ players_max }) => numberOf(players_max)),
  engines: field('Engines', 'list', ({ engines }) => join(engines)),
  content_warnings: choice('Content warnings', 'content_warnings', CONTENT_WARNINGS),
  authorship: field('Made by', 'text', ({ authorship }) => authorship ?? ''),
  authorship_credit: field('Credit', 'text', ({ authorship_credit }) => authorship_credit ?? ''),
  ai_uses: choice('Made with generative AI', 'ai_uses', AI_USES),
  'parent.game': field('Parent in this store', 'text', ({ parent }) =>
    parent && 'game' in parent ? (parent.vanity_name ?? parent.game) : '',
  ),
  'parent.external_name': field('Parent elsewhere: name', 'text', ({ parent }) =>
    parent && 'external_name' in parent ? parent.external_name : '',
  ),
  'parent.external_url': field('Parent elsewhere: link', 'text', ({ parent }) =>
    parent && 'external_url' in parent ? parent.external_url : '',
  ),
  'mod_settings.install_path': field('Install path', 'text', (listing) => settingOf(listing, 'install_path')),
  'mod_settings.loader': field('Loader', 'text', (listing) => settingOf(listing, 'loader')),
  'mod_settings.instructions': field('Instructions', 'area', (listing) => settingOf(listing, 'instructions')),
  similar_titles: field('Similar titles', 'list', ({ similar_titles }) => named(similar_titles)),
  'dependencies.uses': dependency('Uses', 'uses'),
  'dependencies.supports': dependency('Supports', 'supports'),
  'dependencies.made_with': dependency('Made with', 'made_with'),
} as const satisfies Record<string, Field>

export const FIELD_NAMES = Object.keys(FIELDS) as FieldName[]

function settingOf({ mod_settings }: Listing, name: 'install_path' | 'loader' | 'instructions'): string {
  return mod_settings?.[name] ?? ''
}

function flagText(value: boolean): string {
  return value ? 'true' : ''
}

export function textsOf(listing: Listing): Texts {
  return collect((name) => FIELDS[name].show(listing))
}

/** A field that was not on the form stays as it is. Browsers do not send unticked boxes. */
export function textsOfForm(form: URLSearchParams, current: Texts): Texts {
  const isWhole = form.has('base')
  return collect((name) => {
    const { kind }: Field = FIELDS[name]
    if (kind === 'text' || kind === 'area' || kind === 'list')
      return readText(form.get(name), kind) ?? current[name]
    if (!form.has(name) && !isWhole) return current[name]
    return kind === 'flag' ? flagText(form.has(name)) : joinTicked(kind, form.getAll(name))
  })
}

/** Values outside the list are passed on, so that the service names them. */
function joinTicked(known: readonly string[], ticked: readonly string[]): string {
  return join([
    ...known.filter((value) => ticked.includes(value)),
    ...ticked.filter((value) => !known.includes(value)),
  ])
}

/** The form that shows these texts. */
export function formOfTexts(texts: Texts): URLSearchParams {
  const form = new URLSearchParams()
  for (const name of FIELD_NAMES) {
    const { kind }: Field = FIELDS[name]
    const values = typeof kind === 'string' ? [texts[name]] : splitList(texts[name])
    for (const value of values) if (kind !== 'flag' || value !== '') form.append(name, value)
  }
  return form
}

/** Browsers send line breaks as two characters. */
function readText(value: string | null, kind: 'text' | 'area' | 'list'): string | null {
  if (value === null) return null
  const text = value.replaceAll('\r\n', '\n')
  if (kind === 'list') return join(splitList(text))
  return kind === 'area' ? text : text.trim()
}

function collect(read: (name: FieldName) => string): Texts {
  return Object.fromEntries(FIELD_NAMES.map((name) => [name, read(name)])) as Record<FieldName, string>
}
