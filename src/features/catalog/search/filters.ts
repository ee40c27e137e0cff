import {
  type Facet,
  platformToken,
  type SearchField,
  type SearchFilter,
} from '../../../clients/search/search-engine.ts'
import type { OperatingSystem } from '../../../domain/builds/platforms.ts'

/** The selected values, normalised as in the documents. */
export interface Selection {
  /** A listing must have at least one value of each list that is not empty. */
  include: Readonly<Partial<Record<Exclude<Facet, 'os' | 'engines'>, readonly string[]>>>
  /** A listing must have none of these. */
  exclude: Readonly<Partial<Record<Facet, readonly string[]>>>
  os: readonly OperatingSystem[]
  arch: readonly string[]
  engines: readonly string[]
  engineVersion: string | null
  renderer: string | null
  players: number | null
  withAdult: boolean
  /** Only these listings; null for all. */
  among: readonly string[] | null
}

interface Clause {
  /** The facet whose own counts ignore this clause. */
  facet: Facet | null
  filter: SearchFilter
}

/** Returns the filter for the results, and for each facet the filter for its counts. */
export function buildFilters(selection: Selection): {
  results: SearchFilter
  forFacet(facet: Facet): SearchFilter
} {
  const clauses = listClauses(selection)
  const results = all(clauses)
  const byFacet = new Map<Facet, SearchFilter>()
  for (const { facet } of clauses) {
    if (facet === null || byFacet.has(facet)) continue
    const others = clauses.filter((clause) => clause.facet !== facet)
    const stays = facet === 'engines' ? compatClauses({ ...selection, engines: [] }) : []
    byFacet.set(facet, all([...others, ...stays]))
  }
  return { results, forFacet: (facet) => byFacet.get(facet) ?? results }
}

function all(clauses: readonly Clause[]): SearchFilter {
  return { kind: 'all', of: clauses.map(({ filter }) => filter) }
}

function listClauses(selection: Selection): Clause[] {
  const clauses: Clause[] = []
  const add = (facet: Facet | null, filter: SearchFilter) => clauses.push({ facet, filter })
  for (const [facet, values] of entriesOf(selection.include)) add(facet, has(facet, values))
  for (const [facet, values] of entriesOf(selection.exclude))
    add(null, { kind: 'not', of: has(facet, values) })
  if (selection.os.length > 0) add('os', platformFilter(selection))
  if (selection.players !== null) add(null, { kind: 'players', count: selection.players })
  if (selection.among) add(null, { kind: 'uids', uids: selection.among })
  if (!selection.withAdult) add(null, { kind: 'not', of: { kind: 'adult' } })
  return [...clauses, ...compatClauses(selection)]
}

/** `arch` is ignored without `os`: both must match the same build. */
function platformFilter({ os, arch }: Selection): SearchFilter {
  if (arch.length === 0) return has('os', os)
  return has(
    'platforms',
    os.flatMap((system) => arch.map((one) => platformToken(system, one))),
  )
}

/** An engine alone may be the one the listing is made with; a version or renderer must match one declared range. */
function compatClauses({ engines, engineVersion: version, renderer }: Selection): Clause[] {
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
