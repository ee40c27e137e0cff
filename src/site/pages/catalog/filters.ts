import type { Facet } from '../../../clients/search/search-engine.ts'
import { LICENSE_KINDS } from '../../../domain/licenses.ts'
import { ASSET_TYPES } from '../../../domain/listing.ts'
import { OPERATING_SYSTEMS } from '../../../domain/platforms.ts'
import { normalizeSlug } from '../../../domain/slugs.ts'
import {
  AI_USES,
  AUTHORSHIP_LABELS,
  AUTHORSHIPS,
  CONTENT_WARNINGS,
  GENRES,
  NETS,
  SESSION_BUCKETS,
  TONES,
} from '../../../domain/taxonomy.ts'
import type { Facets } from '../../../features/catalog/search/model.ts'
import { NET_LABELS, SESSION_LABELS, SYSTEM_LABELS, TYPE_LABELS } from '../../labels.ts'

/** One group of the filter form: a facet of the search and the parameters that select its values. */
export interface FilterGroup {
  legend: string
  facet: Facet
  /** The parameter that includes a value; null where values can only be excluded. */
  include: string | null
  exclude?: string
  /** The allowed values in order; absent if any value may occur. */
  values?: readonly string[]
  labels?: Readonly<Record<string, string>>
  /** The API uses the first value it knows, and no other. */
  isSingle?: boolean
}

export const FILTER_GROUPS: readonly FilterGroup[] = [
  {
    ...{ legend: 'Type', facet: 'asset_type', include: 'asset_type', exclude: 'exclude_types' },
    ...{ values: ASSET_TYPES, labels: TYPE_LABELS },
  },
  { legend: 'Genres', facet: 'genres', include: 'genres', exclude: 'exclude_genres', values: GENRES },
  { legend: 'Tags', facet: 'tags', include: 'tags', exclude: 'exclude_tags' },
  { legend: 'Tone', facet: 'tone', include: 'tone', exclude: 'exclude_tone', values: TONES },
  { legend: 'Platform', facet: 'os', include: 'os', values: OPERATING_SYSTEMS, labels: SYSTEM_LABELS },
  {
    ...{ legend: 'Session', facet: 'session_bucket', include: 'session_bucket' },
    ...{ values: SESSION_BUCKETS, labels: SESSION_LABELS },
  },
  { legend: 'Multiplayer', facet: 'net', include: 'net', values: NETS, labels: NET_LABELS },
  {
    ...{ legend: 'Made by', facet: 'authorship', include: 'authorship' },
    ...{ values: AUTHORSHIPS, labels: AUTHORSHIP_LABELS },
  },
  { legend: 'AI use', facet: 'ai_uses', include: 'ai_uses', exclude: 'exclude_ai_uses', values: AI_USES },
  {
    ...{ legend: 'Content warnings', facet: 'content_warnings', include: null },
    ...{ exclude: 'exclude_warnings', values: CONTENT_WARNINGS },
  },
  { legend: 'Engine', facet: 'engines', include: 'engine' },
  { legend: 'Licence', facet: 'license_kind', include: 'license', values: LICENSE_KINDS, isSingle: true },
]

/** Alternative parameter names, mapped to those the form uses. */
const ALIASES: Readonly<Record<string, string>> = { type: 'asset_type', search: 'q' }
const GIVEN_ONCE = ['q', 'players', 'engine_version', 'renderer', 'sort', 'page'] as const

/** The search that an address describes, with aliases resolved. */
export class SearchState {
  private constructor(private readonly given: ReadonlyMap<string, readonly string[]>) {}

  static read(parameters: URLSearchParams): SearchState {
    const given = new Map<string, string[]>()
    for (const [sent, text] of parameters) {
      const name = ALIASES[sent] ?? sent
      const isText = (GIVEN_ONCE as readonly string[]).includes(name)
      const values = isText ? [text.trim()] : text.split(',').map((value) => normalizeSlugOf(name, value))
      const filled = values.filter((value) => value !== '')
      if (filled.length > 0) given.set(name, [...new Set([...(given.get(name) ?? []), ...filled])])
    }
    for (const { include, values, isSingle = false } of FILTER_GROUPS) {
      const used = given.get(include ?? '')?.find((value) => values?.includes(value))
      if (isSingle && include !== null && used !== undefined) given.set(include, [used])
    }
    return new SearchState(given)
  }

  all(name: string): readonly string[] {
    return this.given.get(name) ?? []
  }

  first(name: string): string {
    return this.all(name)[0] ?? ''
  }

  has(name: string, value: string): boolean {
    return this.all(name).includes(value)
  }

  with(name: string, values: readonly string[]): SearchState {
    const changed = new Map(this.given)
    if (values.length === 0) changed.delete(name)
    else changed.set(name, values)
    // A changed selection starts on its first page.
    if (name !== 'page') changed.delete('page')
    return new SearchState(changed)
  }

  without(name: string, value: string): SearchState {
    return this.with(
      name,
      this.all(name).filter((known) => known !== value),
    )
  }

  toParameters(): URLSearchParams {
    const parameters = new URLSearchParams()
    for (const [name, values] of this.given) for (const value of values) parameters.append(name, value)
    return parameters
  }

  /** The address of the page that shows this search. */
  href(): string {
    const query = this.toParameters().toString()
    return query === '' ? '/search' : `/search?${query}`
  }
}

/** Parameters with a field in the filter form; a changed selection starts on its first page. */
const SHOWN_PARAMETERS = new Set([
  ...FILTER_GROUPS.flatMap(({ include, exclude }) => [include, exclude]),
  ...['players', 'page'],
])

/** What the filter form sends along although it has no field for it, such as the text and the order. */
export function listUnshown(state: SearchState): [name: string, value: string][] {
  return [...state.toParameters()].filter(([name]) => !SHOWN_PARAMETERS.has(name))
}

const SLUG_PARAMETERS = new Set(['tags', 'exclude_tags', 'engine', 'renderer'])

function normalizeSlugOf(name: string, value: string): string {
  return SLUG_PARAMETERS.has(name) ? normalizeSlug(value) : value.trim()
}

/** `-word` in the search box excludes the tag `word`; null where there is none. */
export function readExclusions(state: SearchState): SearchState | null {
  const words = state.first('q').split(/\s+/)
  const isExclusion = (word: string) => /^-[\p{L}\p{N}]/u.test(word)
  const excluded = words.filter(isExclusion).map((word) => normalizeSlug(word.slice(1)))
  if (excluded.length === 0) return null
  const text = words.filter((word) => !isExclusion(word)).join(' ')
  return state
    .with('q', text === '' ? [] : [text])
    .with('exclude_tags', [...new Set([...state.all('exclude_tags'), ...excluded])])
}

export interface ActiveFilter {
  /** "horror", or "not horror". */
  label: string
  isExclusion: boolean
  without: SearchState
}

/** Every active filter, each with the search without it. */
export function listActiveFilters(state: SearchState): ActiveFilter[] {
  const active: ActiveFilter[] = []
  if (state.first('q') !== '') {
    active.push({ label: `“${state.first('q')}”`, isExclusion: false, without: state.with('q', []) })
  }
  for (const { include, exclude, labels } of FILTER_GROUPS) {
    const add = (name: string | null | undefined, isExclusion: boolean) => {
      if (!name) return
      for (const value of state.all(name)) {
        const label = labels?.[value] ?? value
        active.push({
          label: isExclusion ? `not ${label}` : label,
          isExclusion,
          without: state.without(name, value),
        })
      }
    }
    add(include, false)
    add(exclude, true)
  }
  const texts = { players: 'players', engine_version: 'engine version', renderer: 'renderer', arch: 'arch' }
  for (const [name, label] of Object.entries(texts)) {
    for (const value of state.all(name)) {
      active.push({ label: `${value} ${label}`, isExclusion: false, without: state.without(name, value) })
    }
  }
  return active
}

export interface ShownValue {
  value: string
  label: string
  count: number
  isIncluded: boolean
  isExcluded: boolean
}

/** The values of a group: selected ones always, then those that occur, in list order or most common first. */
export function listValues(group: FilterGroup, state: SearchState, facets: Facets): ShownValue[] {
  const counts = facets[group.facet]
  const isIncluded = (value: string) => group.include !== null && state.has(group.include, value)
  const isExcluded = (value: string) => group.exclude !== undefined && state.has(group.exclude, value)
  const picked = [
    ...(group.include ? state.all(group.include) : []),
    ...(group.exclude ? state.all(group.exclude) : []),
  ]
  // Warnings can be excluded before any listing has them.
  const always = group.include === null ? (group.values ?? []) : []
  const known = group.values
  const occurring = [...new Set([...always, ...Object.keys(counts), ...picked])].filter(
    (value) => !known || known.includes(value),
  )
  const order = (value: string) =>
    known && known.length <= 12 ? known.indexOf(value) : isIncluded(value) || isExcluded(value) ? -1 : 0
  return occurring
    .map((value) => ({
      value,
      label: group.labels?.[value] ?? value,
      count: counts[value] ?? 0,
      isIncluded: isIncluded(value),
      isExcluded: isExcluded(value),
    }))
    .toSorted(
      (a, b) => order(a.value) - order(b.value) || b.count - a.count || a.value.localeCompare(b.value),
    )
}
