import type { Facets } from '../../features/catalog/search/model.ts'
import { FILTER_GROUPS, type FilterGroup } from './filter-groups.ts'
import type { SearchState } from './search-state.ts'

/** Parameters with a field in the filter form; a changed selection starts on its first page. */
const SHOWN_PARAMETERS = new Set([
  ...FILTER_GROUPS.flatMap(({ include, exclude }) => [include, exclude]),
  'players',
  'page',
])

/** What the filter form sends along although it has no field for it, such as the text and the order. */
export function listUnshown(state: SearchState): [name: string, value: string][] {
  return state.pairs().filter(([name]) => !SHOWN_PARAMETERS.has(name))
}

export interface ActiveFilter {
  /** "horror", or "not horror". */
  label: string
  isExclusion: boolean
  name: string
  value: string
}

export function listActiveFilters(state: SearchState): ActiveFilter[] {
  const texts = {
    collection: 'collection',
    players: 'players',
    engine_version: 'engine version',
    renderer: 'renderer',
    arch: 'arch',
  }
  const list = (name: string | null | undefined, labelOf: (value: string) => string, isExclusion = false) =>
    state.all(name ?? '').map((value) => ({ label: labelOf(value), isExclusion, name: name ?? '', value }))
  return [
    ...list('q', (text) => `“${text}”`),
    ...FILTER_GROUPS.flatMap(({ include, exclude, labels }) => [
      ...list(include, (value) => labels?.[value] ?? value),
      ...list(exclude, (value) => `not ${labels?.[value] ?? value}`, true),
    ]),
    ...Object.entries(texts).flatMap(([name, label]) => list(name, (value) => `${value} ${label}`)),
  ]
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
  const included = new Set(group.include ? state.all(group.include) : [])
  const excluded = new Set(group.exclude ? state.all(group.exclude) : [])
  // Warnings can be excluded before any listing has them.
  const always = group.include === null ? (group.values ?? []) : []
  const known = group.values
  const occurring = [...new Set([...always, ...Object.keys(counts), ...included, ...excluded])].filter(
    (value) => !known || known.includes(value),
  )
  const order = (value: string) =>
    known && known.length <= 12 ? known.indexOf(value) : included.has(value) || excluded.has(value) ? -1 : 0
  return occurring
    .map((value) => ({
      value,
      label: group.labels?.[value] ?? value,
      count: counts[value] ?? 0,
      isIncluded: included.has(value),
      isExcluded: excluded.has(value),
    }))
    .toSorted(
      (a, b) => order(a.value) - order(b.value) || b.count - a.count || a.value.localeCompare(b.value),
    )
}
