import {
  type Facet,
  platformToken,
  type SearchField,
  type SearchFilter,
} from '../../../clients/search/search-engine.ts'
import type { OperatingSystem } from '../../../domain/platforms.ts'

/** What was picked, as it can be compared with documents. */
export interface Picked {
  /** One of each list that is not empty. */
  include: Readonly<Partial<Record<Exclude<Facet, 'os' | 'engines'>, readonly string[]>>>
  /** None of all these. */
  exclude: Readonly<Partial<Record<Facet, readonly string[]>>>
  os: readonly OperatingSystem[]
  arch: readonly string[]
  engines: readonly string[]
  engineVersion: string | null
  renderer: string | null
  players: number | null
  withAdult: boolean
}

interface Clause {
  /** In whose counts this clause is left out. */
  facet: Facet | null
  filter: SearchFilter
}

/** The filter for the results, and for each facet the one its counts are made with. */
export function buildFilters(picked: Picked): {
  results: SearchFilter
  forFacet(facet: Facet): SearchFilter
} {
  const clauses = listClauses(picked)
  const results = all(clauses)
  const known = new Map<Facet, SearchFilter>()
  for (const { facet } of clauses) {
    if (facet === null || known.has(facet)) continue
    const others = clauses.filter((clause) => clause.facet !== facet)
    const stays = facet === 'engines' ? compatClauses({ ...picked, engines: [] }) : []
    known.set(facet, all([...others, ...stays]))
  }
  return { results, forFacet: (facet) => known.get(facet) ?? results }
}

function all(clauses: readonly Clause[]): SearchFilter {
  return { kind: 'all', of: clauses.map(({ filter }) => filter) }
}

function listClauses(picked: Picked): Clause[] {
  const clauses: Clause[] = []
  const add = (facet: Facet | null, filter: SearchFilter) => clauses.push({ facet, filter })
  for (const [facet, values] of entriesOf(picked.include)) add(facet, has(facet, values))
  for (const [facet, values] of entriesOf(picked.exclude)) add(null, { kind: 'not', of: has(facet, values) })
  if (picked.os.length > 0) add('os', platformFilter(picked))
  if (picked.players !== null) add(null, { kind: 'players', count: picked.players })
  if (!picked.withAdult) add(null, { kind: 'not', of: { kind: 'adult' } })
  return [...clauses, ...compatClauses(picked)]
}

/** An architecture alone says nothing: both must fit one build. */
function platformFilter({ os, arch }: Picked): SearchFilter {
  if (arch.length === 0) return has('os', os)
  return has(
    'platforms',
    os.flatMap((system) => arch.map((one) => platformToken(system, one))),
  )
}

/** An engine alone may be what the listing is made with; with a version or renderer, one declared range fits all. */
function compatClauses({ engines, engineVersion: version, renderer }: Picked): Clause[] {
  const isAlone = version === null && renderer === null
  if (isAlone && engines.length === 0) return []
  const asked = engines.length > 0 ? engines : [null]
  const ranges = asked.map((engine): SearchFilter => ({ kind: 'compat', engine, version, renderer }))
  const of = isAlone ? [has('engines', engines), ...ranges] : ranges
  return [{ facet: engines.length > 0 ? 'engines' : null, filter: { kind: 'any', of } }]
}

function has(field: SearchField, values: readonly string[]): SearchFilter {
  return { kind: 'has', field, values }
}

function entriesOf<Key extends string>(
  lists: Readonly<Partial<Record<Key, readonly string[]>>>,
): [Key, readonly string[]][] {
  const entries = Object.entries<readonly string[] | undefined>(lists) as [
    Key,
    readonly string[] | undefined,
  ][]
  return entries.flatMap(([key, values]) => (values && values.length > 0 ? [[key, values]] : []))
}
