import { QUERY_CHARACTERS_MAX, QUERY_WORDS_MAX } from '../../lib/text/search-words.ts'
import { ARCHITECTURES, OPERATING_SYSTEMS, SYSTEM_NAMES } from '../builds/platforms.ts'
import { type FacetParameter, type Field } from './field-kinds.ts'
import { FIELDS } from './fields.ts'
import { parseLanguage, showLanguage } from './languages.ts'

/** One facet of the search, and the parameters that select its values. */
export interface Filter {
  legend: string
  /** Null where values can only be excluded. */
  include: FacetParameter | null
  exclude?: FacetParameter
  /** The allowed values in order; absent if any word may occur. */
  values?: readonly string[]
  labels?: Readonly<Record<string, string>>
  /** How other values are shown; by default as they are. */
  labelOf?: (value: string) => string
  /** The form in which values are indexed, by default that of tags; null for what cannot be a value. */
  parse?: (text: string) => string | null
  isSingle?: true
}

/** What pages call a value. */
export function labelOfValue({ labels, labelOf }: Pick<Filter, 'labels' | 'labelOf'>, value: string): string {
  return labels?.[value] ?? labelOf?.(value) ?? value
}

type Fields = typeof FIELDS

/** The fields that searches filter by. */
export type FacetField = {
  [Name in keyof Fields]: Fields[Name] extends { facet: unknown } ? Name : never
}[keyof Fields]
/** What searches count and filter by beside the fields: it is derived from other data of a listing. */
type DerivedFacet = 'os' | 'price' | 'rating' | 'playable' | 'released'
export type Facet = FacetField | DerivedFacet

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
  const values = 'values' in field ? field.values : undefined
  const options = facet === true ? {} : facet
  return [
    {
      legend: label,
      include: [name, `${label}.`, ...(values ?? []).slice(0, 1)],
      ...options,
      ...(values && { values }),
      ...(labels && { labels }),
      ...(field.kind === 'languages' && { labelOf: showLanguage, parse: parseLanguage }),
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

const PRICE_LABELS = {
  free: 'Free',
  under_5: 'Under $5',
  '5_15': '$5 to $15',
  over_15: 'Over $15',
} as const
export type PriceBand = keyof typeof PRICE_LABELS
/** The first price of the middle band and the last one, in cents. */
const [MIDDLE_FROM, MIDDLE_TO] = [500, 1500]

export function priceBandOf(cents: number): PriceBand {
  if (cents <= 0) return 'free'
  if (cents < MIDDLE_FROM) return 'under_5'
  return cents <= MIDDLE_TO ? '5_15' : 'over_15'
}

/** The bands that have a highest price, with it. */
export function mostOfPriceBands(): [PriceBand, cents: number][] {
  return [
    ['free', 0],
    ['under_5', MIDDLE_FROM - 1],
    ['5_15', MIDDLE_TO],
  ]
}

const RATING_LABELS = { '3': '3 stars or more', '4': '4 stars or more' } as const
/** With fewer reviews the average says too little. */
const RATED_FROM = 5

/** The values that a listing has; a high average also has the lower ones. */
export function ratingValuesOf(reviews: number, sumOfStars: number): string[] {
  if (reviews < RATED_FROM) return []
  return Object.keys(RATING_LABELS).filter((least) => sumOfStars >= Number(least) * reviews)
}

export const PLAYABLE = 'true'

/** How many days back each value goes. */
export const RELEASED_DAYS = { month: 31, year: 366 } as const
const RELEASED_LABELS = {
  month: 'In the last month',
  year: 'In the last year',
} as const satisfies Record<keyof typeof RELEASED_DAYS, string>

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
    labels: SYSTEM_NAMES,
  },
  price: {
    legend: 'Price',
    include: ['price', 'In any of these price bands; $5 and $15 belong to 5_15.', 'free', 'under_5'],
    values: Object.keys(PRICE_LABELS),
    labels: PRICE_LABELS,
  },
  rating: {
    legend: 'Rating',
    include: [
      'rating',
      `At least this many stars on average, of listings with ${RATED_FROM} reviews or more.`,
      '4',
    ],
    values: Object.keys(RATING_LABELS),
    labels: RATING_LABELS,
    isSingle: true,
  },
  playable: {
    legend: 'In the browser',
    include: ['playable', 'true: can be played in the browser.', PLAYABLE],
    values: [PLAYABLE],
    labels: { [PLAYABLE]: 'Plays in the browser' },
    isSingle: true,
  },
  released: {
    legend: 'Released',
    include: [
      'released',
      `First published in the last ${RELEASED_DAYS.month} days (month) or ${RELEASED_DAYS.year} days (year).`,
      'month',
    ],
    values: Object.keys(RELEASED_DAYS),
    labels: RELEASED_LABELS,
    isSingle: true,
  },
  ...others,
  content_warnings,
  engines,
  license_kind,
}
export const FACETS = Object.keys(FILTERS) as readonly Facet[]

/** Facets whose values stand in the documents; `released` depends on the day of the search. */
export type StoredFacet = Exclude<Facet, 'released'>
export const STORED_FACETS = FACETS.filter((facet): facet is StoredFacet => facet !== 'released')

/** How results can be ordered, and what people read. Every other value means the first. */
export const SORT_LABELS = {
  relevance: 'Best match',
  popular: 'Popular',
  rated: 'Best rated',
  newest: 'Newest',
  updated: 'Recently updated',
  price_low: 'Lowest price',
  price_high: 'Highest price',
  name: 'Name',
} as const
export type Sort = keyof typeof SORT_LABELS
export const SORTS = Object.keys(SORT_LABELS) as readonly Sort[]

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
  /** Values are normalised by this; null for values that are ignored. */
  parse?: (text: string) => string | null
}

type Named = [name: string, parameter: SearchParameter]

function parametersOf(of: 'include' | 'exclude'): Named[] {
  return Object.values(FILTERS).flatMap((filter): Named[] => {
    const given = filter[of]
    if (!given) return []
    const [name, about, ...examples] = given
    const isSingle = of === 'include' && filter.isSingle === true
    const { values, parse } = filter
    const taken = values ? { values } : parse ? { parse } : { isSlug: true as const }
    return [[name, { about, examples, isList: !isSingle, ...(isSingle && { max: 1 }), ...taken }]]
  })
}

const text = (about: string, example: string) => ({ about, examples: [example], isList: false })

const ownList = (about: string) => ({ about, examples: ['true'], isList: false, max: 1, values: ['true'] })

/** Beside those of `PageQuery`. */
export const SEARCH_PARAMETERS: Readonly<Record<string, SearchParameter>> = {
  q: text(
    `Words to find in name, tagline and description. All must match; the last one matches as a prefix. The first ${QUERY_WORDS_MAX} words within ${QUERY_CHARACTERS_MAX} characters count.`,
    'lantern keep',
  ),
  find: text(
    `What a person types: words of name, developer, tags, genre, tone, type, platform, engine, inputs, multiplayer, languages, tagline, description and titles of posts, with typos and everyday names (phone, mac, coop). under 10 bounds the price. All must match; "exact words" as they are; -horror and no horror leave out.`,
    'cozy -horror',
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
  jam: text('Is entered into this jam, named by its slug.', 'lantern-jam'),
  followed: ownList('true: only what the player follows; nothing without a player’s key.'),
  wished: ownList('true: only the wishlist of the player; nothing without a player’s key.'),
  ...Object.fromEntries(parametersOf('exclude')),
  show_hidden: text('true: also with the tags that the reader always hides.', 'true'),
  sort: text(`${SORTS[0]} (the default), ${SORTS.slice(1, -1).join(', ')} or ${SORTS.at(-1)}.`, 'newest'),
}

/** Other names of parameters. */
export const ALIASES: ReadonlyMap<string, string> = new Map([
  ['search', 'q'],
  ['type', 'asset_type'],
])
