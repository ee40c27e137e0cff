import { QUERY_CHARACTERS_MAX, QUERY_WORDS_MAX } from '../../lib/text/search-words.ts'
import { ARCHITECTURES, OPERATING_SYSTEMS } from '../builds/platforms.ts'
import { type FacetParameter, type Field, FIELDS } from './fields.ts'

/** One facet of the search, and the parameters that select its values. */
export interface Filter {
  legend: string
  /** Null where values can only be excluded. */
  include: FacetParameter | null
  exclude?: FacetParameter
  /** The allowed values in order; absent if any word may occur. */
  values?: readonly string[]
  labels?: Readonly<Record<string, string>>
  isSingle?: true
}

type Fields = typeof FIELDS

/** The fields that searches filter by. */
export type FacetField = {
  [Name in keyof Fields]: Fields[Name] extends { facet: unknown } ? Name : never
}[keyof Fields]
export type Facet = FacetField | 'os'

/** The values of these fields, as searches see them. */
export type FacetValues = {
  readonly [Name in FacetField]: Fields[Name]['kind'] extends 'choice'
    ? Fields[Name] extends { isRequired: true }
      ? string
      : string | null
    : readonly string[]
}

function toFilter(name: string, field: Field): Filter[] {
  if (!field.facet) return []
  const { label, labels, facet } = field
  const values = field.kind === 'slugs' ? undefined : field.values
  const options = facet === true ? {} : facet
  return [
    {
      legend: label,
      include: [name, `${label}.`, ...(values ?? []).slice(0, 1)],
      ...options,
      ...(values && { values }),
      ...(labels && { labels }),
    },
  ]
}

const OF_FIELDS = Object.fromEntries(
  Object.entries<Field>(FIELDS).flatMap(([name, field]) =>
    toFilter(name, field).map((filter) => [name, filter]),
  ),
) as Record<FacetField, Filter>
export const FACET_FIELDS = Object.keys(OF_FIELDS) as readonly FacetField[]

const { asset_type, genres, tags, tone, content_warnings, engines, license_kind, ...others } = OF_FIELDS

/** What results can be filtered by, each with counts per value, in the order of the filter form. */
export const FILTERS: Readonly<Record<Facet, Filter>> = {
  asset_type,
  genres,
  tags,
  tone,
  os: {
    legend: 'Platform',
    include: ['os', 'Has a clean build for any of these.', 'linux'],
    values: OPERATING_SYSTEMS,
  },
  ...others,
  content_warnings,
  engines,
  license_kind,
}
export const FACETS = Object.keys(FILTERS) as readonly Facet[]

/** A parameter of the search. Unknown values are ignored, so no search is invalid. */
export interface SearchParameter {
  about: string
  examples: readonly string[]
  /** Lists take several values, separated by commas or as repeated parameters. */
  isList: boolean
  /** The most values that count; the others are ignored. */
  max?: number
  /** Other values are ignored; absent if any may occur. */
  values?: readonly string[]
  /** Values are normalised like tags. */
  isSlug?: true
}

type Named = [name: string, parameter: SearchParameter]

function parametersOf(of: 'include' | 'exclude'): Named[] {
  return Object.values(FILTERS).flatMap((filter): Named[] => {
    const given = filter[of]
    if (!given) return []
    const [name, about, ...examples] = given
    const isSingle = of === 'include' && filter.isSingle === true
    const taken = filter.values ? { values: filter.values } : { isSlug: true as const }
    return [[name, { about, examples, isList: !isSingle, ...(isSingle && { max: 1 }), ...taken }]]
  })
}

const text = (about: string, example: string) => ({ about, examples: [example], isList: false })

/** Beside those of `PageQuery`. */
export const SEARCH_PARAMETERS: Readonly<Record<string, SearchParameter>> = {
  q: text(
    `Words to find in name, tagline and description. All must match; the last one matches as a prefix. The first ${QUERY_WORDS_MAX} words within ${QUERY_CHARACTERS_MAX} characters count.`,
    'lantern keep',
  ),
  ...Object.fromEntries(parametersOf('include')),
  arch: {
    about: 'With `os`: the build is for any of these architectures.',
    examples: ['x86_64'],
    isList: true,
    values: ARCHITECTURES,
  },
  players: text('Can be played by this many.', '4'),
  engine_version: text('Declared compatible with this version.', '4.2'),
  renderer: { ...text('Declared compatible with this renderer.', 'vulkan'), isSlug: true },
  collection: text('Is in this collection of the operators, named by its slug.', 'rainy-days'),
  ...Object.fromEntries(parametersOf('exclude')),
  show_hidden: text('true: also with the tags that the reader always hides.', 'true'),
  sort: text('relevance (the default), newest or updated.', 'newest'),
}

/** Other names of parameters. */
export const ALIASES: ReadonlyMap<string, string> = new Map([
  ['search', 'q'],
  ['type', 'asset_type'],
])
