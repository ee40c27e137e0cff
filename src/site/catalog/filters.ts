import { type Facet, FACETS, type Filter, FILTERS, labelOfValue } from '../../domain/listings/facets.ts'
import { normalizeSlug } from '../../domain/listings/slugs.ts'
import type { SearchRequest } from '../../features/catalog/search/request.ts'
import type { FoundCards } from '../../features/catalog/search/service.ts'

/** One group of the filter form: a facet of the search and the parameters that select its values. */
export interface FilterGroup extends Omit<Filter, 'include' | 'exclude'> {
  facet: Facet
  /** Null where values can only be excluded. */
  include: string | null
  exclude: string | undefined
}

export const FILTER_GROUPS = FACETS.map((facet): FilterGroup => {
  const { include, exclude, ...filter } = FILTERS[facet]
  return { facet, ...filter, include: include?.[0] ?? null, exclude: exclude?.[0] }
})

/** Parameters with a field in the filter form; a changed selection starts on its first page. */
const SHOWN_PARAMETERS = new Set([
  ...FILTER_GROUPS.flatMap(({ include, exclude }) => [include, exclude]),
  'players',
  'followed',
  'wished',
  'find',
  'page',
])

/** Parameters without a field in the filter form, such as text and order; it sends them as hidden fields. */
export function listUnshown(state: SearchRequest): [name: string, value: string][] {
  return state.pairs().filter(([name]) => !SHOWN_PARAMETERS.has(name))
}

/** What signed-in visitors can filter by beside the facets, and what pages call it. */
export const OWN_FILTERS = { followed: 'You follow it', wished: 'On your wishlist' } as const

export interface ActiveFilter {
  /** "horror", or "not horror". */
  label: string
  isExclusion: boolean
  name: string
  value: string
}

export function listActiveFilters(state: SearchRequest): ActiveFilter[] {
  const texts = {
    collection: 'collection',
    jam: 'jam',
    players: 'players',
    engine_version: 'engine version',
    renderer: 'renderer',
    arch: 'arch',
  }
  const list = (name: string | null | undefined, labelOf: (value: string) => string, isExclusion = false) =>
    state.all(name ?? '').map((value) => ({ label: labelOf(value), isExclusion, name: name ?? '', value }))
  return [
    ...list('find', (text) => `“${text}”`),
    ...list('q', (text) => `“${text}”`),
    ...FILTER_GROUPS.flatMap((group) => [
      ...list(group.include, (value) => labelOfValue(group, value)),
      ...list(group.exclude, (value) => `not ${labelOfValue(group, value)}`, true),
    ]),
    ...Object.entries(OWN_FILTERS).flatMap(([name, label]) => list(name, () => label)),
    ...Object.entries(texts).flatMap(([name, label]) => list(name, (value) => `${value} ${label}`)),
  ]
}

/** How often each value occurs, the most common first. */
export type Facets = FoundCards['hits']['facets']

export interface ShownValue {
  value: string
  label: string
  count: number
  isIncluded: boolean
  isExcluded: boolean
}

/** The values of a group: selected ones always, then those that occur, in list order or most common first. */
export function listValues(group: FilterGroup, state: SearchRequest, facets: Facets): ShownValue[] {
  const counts = new Map(facets[group.facet]?.map(({ value, count }) => [value, count]))
  const included = new Set(group.include ? state.all(group.include) : [])
  const excluded = new Set(group.exclude ? state.all(group.exclude) : [])
  // Warnings can be excluded before any listing has them.
  const always = group.include === null ? (group.values ?? []) : []
  const known = group.values
  const occurring = [...new Set([...always, ...counts.keys(), ...included, ...excluded])].filter(
    (value) => !known || known.includes(value),
  )
  const order = (value: string) =>
    known && known.length <= 12 ? known.indexOf(value) : included.has(value) || excluded.has(value) ? -1 : 0
  return occurring
    .map((value) => ({
      value,
      label: labelOfValue(group, value),
      count: counts.get(value) ?? 0,
      isIncluded: included.has(value),
      isExcluded: excluded.has(value),
    }))
    .toSorted(
      (a, b) => order(a.value) - order(b.value) || b.count - a.count || a.value.localeCompare(b.value),
    )
}

/** `-word` in the search box excludes the tag `word`; null where there is none. */
export function toExclusions(state: SearchRequest): SearchRequest | null {
  const words = state.first('q').split(/\s+/)
  const isExclusion = (word: string) => /^-[\p{L}\p{N}]/u.test(word)
  const excluded = words.filter(isExclusion).map((word) => normalizeSlug(word.slice(1)))
  if (excluded.length === 0) return null
  const text = words.filter((word) => !isExclusion(word)).join(' ')
  return state
    .with('q', text === '' ? [] : [text])
    .with('exclude_tags', [...new Set([...state.all('exclude_tags'), ...excluded])])
}

/** Fills six rows of four cards, and twelve of two on a phone. */
const SHOWN_AT_ONCE = 24

/** The search as the page runs it: with more results at once than the API's default, unless the address says how many. */
export function withPageSize(state: SearchRequest): SearchRequest {
  if (state.first('page_size') !== '') return state
  return state.with('page_size', [String(SHOWN_AT_ONCE)]).with('page', state.all('page'))
}

/** The address of the page that shows this search. */
export function hrefOf(state: SearchRequest): string {
  const query = state.toQuery()
  return query === '' ? '/search' : `/search?${query}`
}
