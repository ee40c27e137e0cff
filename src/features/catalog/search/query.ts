import {
  type FacetRequest,
  HITS_MAX,
  platformToken,
  type SearchField,
  type SearchFilter,
  type SearchQuery,
} from '../../../clients/search/search-engine.ts'
import { parseVersion } from '../../../domain/listings/engine-range.ts'
import { readSameWords } from '../../../domain/listings/everyday-words.ts'
import { type Facet, FACETS, FILTERS, RELEASED_DAYS, SORTS } from '../../../domain/listings/facets.ts'
import { normalizeSlug } from '../../../domain/listings/slugs.ts'
import { type Page, parsePage } from '../../../lib/paging.ts'
import { DAY_MS, MINUTE_MS } from '../../../lib/time.ts'
import { type FoundWords, type KnownWords, parseFind } from './find-words.ts'
import { VALUE_CHARACTERS_MAX } from './model.ts'
import type { SearchRequest } from './request.ts'

export interface ReadQuery {
  page: Page
  query: SearchQuery
  /** What was read in the words of a person; null if there are none. */
  words: FoundWords | null
}

const INTEGER = /^[+-]?\d{1,9}$/
/** Replaces a value that is too long: it matches no listing, word or number. */
const NO_VALUE = '?'

interface QueryContext {
  /** Tags that the reader always hides. */
  hiddenTags?: readonly string[]
  /** Lists of listings that results must all be in, such as the requested collection. */
  among?: readonly (readonly string[])[]
  /** Whether the store offers to play in the browser. */
  isPlayOpen?: boolean
  now?: number
  /** What is counted. */
  facets?: readonly Facet[]
  /** What the words of a person are compared with. */
  known?: KnownWords
}

/** Without an index and settings: the words that every store knows. */
const EVERY_STORE: KnownWords = {
  sameWords: readSameWords([]),
  isTag: () => false,
  isEngine: () => false,
  languagesNamed: () => [],
  isOfDeveloper: () => false,
}

/** Everything is optional, and invalid values are ignored. */
export function parseQuery(
  request: SearchRequest,
  withAdult: boolean,
  {
    hiddenTags = [],
    among = [],
    isPlayOpen = true,
    now = Date.now(),
    facets = FACETS,
    known = EVERY_STORE,
  }: QueryContext = {},
): ReadQuery {
  const page = parsePage({ page: request.first('page'), page_size: request.first('page_size') })
  const since = startsAt(now)
  const typed = request.first('find')
  const words = typed === '' ? null : parseFind(typed, known)
  const ofWords = words?.filters ?? []
  const selection = { ...parseSelection(request, hiddenTags), withAdult, among, isPlayOpen, since, ofWords }
  const { results, forFacet } = buildFilters(selection)
  const sort = request.first('sort')
  const counted = facets.filter((facet) => isPlayOpen || facet !== 'playable')
  return {
    page,
    words,
    query: {
      text: request.first('q'),
      ...(words && { find: words.find }),
      filter: results,
      tags: selection.include.get('tags') ?? [],
      sort: SORTS.find((known) => known === sort) ?? 'relevance',
      ...toWindow(page),
      facets: counted.map((facet): FacetRequest => {
        const filter = forFacet(facet)
        return facet === 'released' ? { facet, filter, since } : { facet, filter }
      }),
    },
  }
}

/** When each value of `released` starts. Whole minutes, so that the searches of a minute share their results. */
function startsAt(now: number): Record<string, number> {
  const minute = now - (now % MINUTE_MS)
  return Object.fromEntries(
    Object.entries(RELEASED_DAYS).map(([value, days]) => [value, minute - days * DAY_MS]),
  )
}

/** Pages beyond the engine's window are empty. */
function toWindow({ offset, page_size }: Page): Pick<SearchQuery, 'offset' | 'limit'> {
  if (offset >= HITS_MAX) return { offset: 0, limit: 0 }
  return { offset, limit: Math.min(page_size, HITS_MAX - offset) }
}

type Selected = ReadonlyMap<Facet, readonly string[]>

/** The selected values, normalised as in the documents. */
interface Selection {
  /** A listing must have at least one value of each list. */
  include: Selected
  /** A listing must have none of these. */
  exclude: Selected
  arch: readonly string[]
  engineVersion: string | null
  renderer: string | null
  players: number | null
  withAdult: boolean
  /** Only listings that are in each of these lists. */
  among: readonly (readonly string[])[]
  isPlayOpen: boolean
  /** When each value of `released` starts. */
  since: Readonly<Record<string, number>>
  /** What words with a minus or a `no` leave out, and what listings may cost. */
  ofWords: readonly SearchFilter[]
}

const namesOf = (of: 'include' | 'exclude') =>
  FACETS.flatMap((facet) => {
    const [name] = FILTERS[facet][of] ?? []
    return name === undefined ? [] : [[facet, name] as const]
  })
const INCLUDE = namesOf('include')
const EXCLUDE = namesOf('exclude')

function parseSelection(
  request: SearchRequest,
  hiddenTags: readonly string[],
): Omit<Selection, 'withAdult' | 'among' | 'isPlayOpen' | 'since' | 'ofWords'> {
  const all = (name: string) => {
    const values = request.all(name)
    return values.length === 0 ? values : [...new Set(values.map(bound))]
  }
  const select = (names: typeof INCLUDE): Map<Facet, readonly string[]> =>
    new Map(
      names.flatMap(([facet, name]) => {
        const values = all(name)
        return values.length === 0 ? [] : [[facet, values]]
      }),
    )
  // These parameters take one value: the first valid one of a list separated by commas.
  const pieces = (name: string) =>
    request.all(name).flatMap((text) => text.split(',').map((piece) => bound(piece.trim())))
  const exclude = select(EXCLUDE)
  if (hiddenTags.length > 0)
    exclude.set('tags', [...new Set([...(exclude.get('tags') ?? []), ...hiddenTags])])
  return {
    include: select(INCLUDE),
    exclude,
    arch: all('arch'),
    engineVersion:
      pieces('engine_version').find((text) => text === NO_VALUE || parseVersion(text) !== null) ?? null,
    renderer:
      pieces('renderer')
        .map(normalizeSlug)
        .find((slug) => slug !== '') ?? null,
    players:
      pieces('players')
        .filter((text) => INTEGER.test(text))
        .map(Number)[0] ?? null,
  }
}

function bound(value: string): string {
  return value.length > VALUE_CHARACTERS_MAX ? NO_VALUE : value
}

interface Clause {
  /** The facet whose own counts ignore this clause. */
  facet: Facet | null
  filter: SearchFilter
}

/** Returns the filter for the results, and for each facet the filter for its counts. */
function buildFilters(selection: Selection): {
  results: SearchFilter
  forFacet(facet: Facet): SearchFilter
} {
  const clauses = listClauses(selection)
  const results = all(clauses)
  const byFacet = new Map<Facet, SearchFilter>()
  for (const { facet } of clauses) {
    if (facet === null || byFacet.has(facet)) continue
    const others = clauses.filter((clause) => clause.facet !== facet)
    const stays = facet === 'engines' ? compatClauses(selection, []) : []
    byFacet.set(facet, all([...others, ...stays]))
  }
  return { results, forFacet: (facet) => byFacet.get(facet) ?? results }
}

function all(clauses: readonly Clause[]): SearchFilter {
  return { kind: 'all', of: clauses.map(({ filter }) => filter) }
}

function listClauses(selection: Selection): Clause[] {
  const { include, exclude } = selection
  const clauses: Clause[] = []
  const add = (facet: Facet | null, filter: SearchFilter) => clauses.push({ facet, filter })
  for (const [facet, values] of include) {
    if (facet === 'os') add('os', platformFilter(values, selection.arch))
    else if (facet === 'released') add(facet, anySince(values, selection.since))
    else if (facet === 'playable') add(facet, has(facet, selection.isPlayOpen ? values : []))
    else if (facet !== 'engines') add(facet, has(facet, values))
  }
  for (const [facet, values] of exclude) {
    if (facet !== 'released') add(null, { kind: 'not', of: has(facet, values) })
  }
  if (selection.players !== null) add(null, { kind: 'players', count: selection.players })
  for (const filter of selection.ofWords) add(null, filter)
  for (const uids of selection.among) add(null, { kind: 'uids', uids })
  if (!selection.withAdult) add(null, { kind: 'not', of: { kind: 'adult' } })
  return [...clauses, ...compatClauses(selection, include.get('engines') ?? [])]
}

function anySince(values: readonly string[], since: Readonly<Record<string, number>>): SearchFilter {
  return { kind: 'any', of: values.map((value) => ({ kind: 'since', from: since[value] ?? 0 })) }
}

/** Architectures are ignored without systems: both must match the same build. */
function platformFilter(systems: readonly string[], architectures: readonly string[]): SearchFilter {
  if (architectures.length === 0) return has('os', systems)
  const tokens = systems.flatMap((os) => architectures.map((arch) => platformToken(os, arch)))
  return has('platforms', tokens)
}

/** An engine alone may be the one the listing is made with; a version or renderer must match one declared range. */
function compatClauses(
  { engineVersion: version, renderer }: Selection,
  engines: readonly string[],
): Clause[] {
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
